package gpu

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain is also the tool of the tests: the test binary, started again with a
// script to play.
func TestMain(m *testing.M) {
	if script := os.Getenv("GPU_TEST_SCRIPT"); script != "" {
		os.Exit(play(script))
	}
	goleak.VerifyTestMain(m)
}

// play says the lines of a script. Some lines are commands: "!hang" stops
// talking for good, "!spin N" computes for N seconds, "!pause" waits as long as a period would, "!stderr TEXT"
// says it there, "!exit N" ends, "!args" says the arguments, "!file PATH" says a
// file.
func play(script string) int {
	for line := range strings.SplitSeq(script, "\n") {
		command, arg, _ := strings.Cut(line, " ")
		switch command {
		case "!hang":
			time.Sleep(time.Minute)
		case "!pause":
			time.Sleep(300 * time.Millisecond)
		case "!spin":
			var seconds int
			if _, err := fmt.Sscan(arg, &seconds); err != nil {
				return 99
			}
			for end := time.Now().Add(time.Duration(seconds) * time.Second); time.Now().Before(end); {
				continue
			}
		case "!stderr":
			fmt.Fprintln(os.Stderr, arg)
		case "!args":
			fmt.Println(strings.Join(os.Args[1:], " "))
		case "!file":
			f, err := os.Open(arg)
			if err != nil {
				return 99
			}
			for lines := bufio.NewScanner(f); lines.Scan(); {
				fmt.Println(lines.Text())
			}
		case "!exit":
			var status int
			if _, err := fmt.Sscan(arg, &status); err != nil {
				return 99
			}
			return status
		default:
			fmt.Println(line)
		}
	}
	return 0
}

// scripted gives Options whose tool plays the scripts, one a start; the last one
// again and again. Each start's command line is added to calls.
func scripted(calls *[]string, scripts ...string) Options {
	return Options{
		Sys: noSys{},
		Command: func(ctx context.Context, name string, args ...string) *exec.Cmd {
			script := scripts[min(len(*calls), len(scripts)-1)]
			*calls = append(*calls, name+" "+strings.Join(args, " "))
			cmd := exec.CommandContext(ctx, os.Args[0], args...)
			cmd.Env = append(os.Environ(), "GPU_TEST_SCRIPT="+script, "GORACE=atexit_sleep_ms=0")
			return cmd
		},
	}
}

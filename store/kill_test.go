package store

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"reckoner/scheduler/job"
)

// helperEnv makes the test binary a process that is to be killed, or to run out
// of disk, instead of running tests.
const (
	helperEnv    = "RECKONER_STORE_HELPER"
	helperDirEnv = "RECKONER_STORE_DIR"
)

func helper(mode string) int {
	run := map[string]func(dir string) error{"write": writeForever, "full": fillTheDisk}[mode]
	if run == nil {
		fmt.Fprintln(os.Stderr, "no such helper:", mode)
		return 2
	}
	if err := run(os.Getenv(helperDirEnv)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func helperCommand(t *testing.T, mode, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), helperEnv+"="+mode, helperDirEnv+"="+dir)
	cmd.Stderr = os.Stderr
	return cmd
}

// writeForever saves a job with its run, naming a blob, again and again, and
// says which number was acknowledged. Every third change is lazy.
func writeForever(dir string) error {
	s, err := Open(dir, testOptions())
	if err != nil {
		return err
	}
	kept, err := s.Load(context.Background())
	if err != nil {
		return err
	}
	for n := len(kept.Jobs); ; n++ {
		sha, err := s.PutBlob(context.Background(), []byte(fmt.Sprintf("graph %d", n)))
		if err != nil {
			return err
		}
		j := waitingJob(n)
		j.Graph, j.State, j.Attempt = sha, job.JobRunning, 1
		r := openRun(j, 1, job.RunIntended)
		if err := s.Save(context.Background(), job.Changes{Jobs: []*job.Job{j}, Runs: []*job.Run{r}}); err != nil {
			return err
		}
		fmt.Println(n)
		if n%3 == 0 {
			r := openRun(j, 1, job.RunSubmitted)
			if err := s.Save(context.Background(), job.Changes{Runs: []*job.Run{r}, Lazy: true}); err != nil {
				return err
			}
		}
	}
}

func TestKilledAtAnyMomentNothingAcknowledgedIsLost(t *testing.T) {
	dir := t.TempDir()
	acknowledged := -1
	for range 6 {
		cmd := helperCommand(t, "write", dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range 5 + rand.IntN(40) {
			if !lines.Scan() {
				t.Fatal("the helper ended by itself")
			}
			acknowledged = atoi(t, lines.Text())
		}
		// Not only right behind an acknowledgement.
		time.Sleep(rand.N(3 * time.Millisecond))
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			if strings.TrimSpace(lines.Text()) != "" {
				acknowledged = atoi(t, lines.Text())
			}
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the helper was not killed")
		}
		checkAfterKill(t, dir, acknowledged)
	}
}

func checkAfterKill(t *testing.T, dir string, acknowledged int) {
	t.Helper()
	s := mustOpen(t, dir)
	defer mustClose(t, s)
	if o := s.Opened(); o.New || o.SetAside != "" {
		t.Fatalf("after a kill: %+v", o)
	}
	kept := mustLoad(t, s)
	if len(kept.Jobs) <= acknowledged {
		t.Errorf("%d jobs, but number %d was acknowledged", len(kept.Jobs), acknowledged)
	}
	runs := map[job.ID]bool{}
	for _, r := range kept.Runs {
		runs[r.Job] = true
	}
	for n, j := range kept.Jobs {
		if j.ID != waitingJob(n).ID {
			t.Fatalf("job %d of the queue is %s", n, j.ID)
		}
		if !runs[j.ID] {
			t.Errorf("job %s is there without the run saved with it", j.ID)
		}
		if content, err := s.Blob(t.Context(), j.Graph); err != nil || string(content) != fmt.Sprintf("graph %d", n) {
			t.Errorf("the blob of job %s: %q, %v", j.ID, content, err)
		}
	}
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

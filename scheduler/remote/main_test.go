package remote

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// TestMain is also the ssh of the tests: the test binary, started again under
// that name.
func TestMain(m *testing.M) {
	if mode := os.Getenv("REMOTE_TEST_SSH"); mode != "" {
		os.Exit(playSSH(mode, os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}

// A key, and its fingerprint as ssh-keygen -lf shows it.
const (
	hostKeyLine  = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBxCcRQd88TEWTE57zQcWmSTeF0GBhn5j/3p3CNwmn32"
	hostKeyPrint = "SHA256:ckH0lhGftIvti7n5ubRAVARs4+B2YICHXH6T+J9XzDA"
)

// playSSH says what OpenSSH 9.2 says at -vv, and forwards connections. Modes
// but "up" end before the tunnel stands.
func playSSH(mode string, args []string) int {
	tell := func(lines ...string) {
		for _, l := range lines {
			fmt.Fprint(os.Stderr, l+"\r\n")
		}
	}
	tell("OpenSSH_9.2p1 Debian-2, OpenSSL 3.0.19", "debug1: Connecting to gpu-1 [10.0.0.7] port 22.")
	switch mode {
	case "refused":
		tell("ssh: connect to host gpu-1 port 22: Connection refused")
		return 255
	case "unknown":
		tell("debug1: Server host key: ssh-ed25519 "+hostKeyPrint,
			"Host key verification failed.")
		return 255
	case "changed":
		tell("debug1: Server host key: ssh-ed25519 "+hostKeyPrint,
			"@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @", "Host key verification failed.")
		return 255
	case "denied":
		tell("root@gpu-1: Permission denied (publickey).")
		return 255
	case "users-own":
		if slices.Contains(args, "ExitOnForwardFailure=yes") {
			tell("bind [127.0.0.1]:8188: Address already in use",
				"channel_setup_fwd_listener_tcpip: cannot listen to port: 8188", "Could not request local forwarding.")
			return 255
		}
	case "learns":
		return learnKey(args)
	case "silent":
		_, _ = io.Copy(io.Discard, openPipe())
	}
	return forward(mode, args, tell)
}

// learnKey answers -G, and writes the key that a computer shows where it is told
// to.
func learnKey(args []string) int {
	if slices.Contains(args, "-G") {
		fmt.Println("user render\nuserknownhostsfile " + os.Getenv("REMOTE_TEST_KNOWN") + " /nowhere")
		return 0
	}
	for _, arg := range args {
		if file, ok := strings.CutPrefix(arg, "UserKnownHostsFile="); ok {
			if os.WriteFile(strings.Trim(file, `"`), []byte("gpu-1 "+hostKeyLine+"\n"), 0o600) == nil {
				return 255 // the key is written before the login fails
			}
		}
	}
	return 99
}

// openPipe gives a reader that never ends.
func openPipe() io.Reader { r, _ := io.Pipe(); return r }

func forward(mode string, args []string, tell func(...string)) int {
	i := slices.Index(args, "-L")
	parts := strings.SplitN(args[i+1], ":", 3) // 127.0.0.1, port, target
	l, err := net.Listen("tcp", parts[0]+":"+parts[1])
	if err != nil {
		tell("channel_setup_fwd_listener_tcpip: cannot listen to port: " + parts[1])
		return 255
	}
	tell("Authenticated to gpu-1 ([10.0.0.7]:22) using \"publickey\".",
		"debug1: Local forwarding listening on 127.0.0.1 port "+parts[1]+".", "debug1: Entering interactive session.")
	for n := 1; ; n++ {
		conn, err := l.Accept()
		if err != nil {
			return 255
		}
		if mode == "dies" {
			tell("Timeout, server gpu-1 not responding.")
			return 255
		}
		far, err := net.Dial("tcp", parts[2])
		if err != nil {
			tell(fmt.Sprintf("channel %d: open failed: connect failed: Connection refused", n))
			_ = conn.Close()
			continue
		}
		tell(fmt.Sprintf("debug2: channel %d: open confirm rwindow 2097152 rmax 32768", n))
		go func() {
			_, _ = io.Copy(far, conn)
			_ = far.Close()
		}()
		go func() {
			_, _ = io.Copy(conn, far)
			_ = conn.Close()
		}()
	}
}

// fake gives Options whose ssh is this binary in a mode, one a start and the
// last one again and again. Each start's arguments are added to calls.
func fake(calls *[]string, modes ...string) Options {
	return Options{
		Random: func() float64 { return 0 },
		Command: func(ctx context.Context, name string, args ...string) *exec.Cmd {
			mode := modes[min(len(*calls), len(modes)-1)]
			*calls = append(*calls, name+" "+strings.Join(args, " "))
			cmd := exec.CommandContext(ctx, os.Args[0], args...)
			cmd.Env = append(os.Environ(), "REMOTE_TEST_SSH="+mode, "GORACE=atexit_sleep_ms=0")
			return cmd
		},
	}
}

// echo listens on the loopback and answers each line with itself.
func echo(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			line, _ := bufio.NewReader(conn).ReadString('\n')
			_, _ = io.WriteString(conn, line)
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return l.Addr().String()
}

// sshOnPath puts this binary on PATH as ssh, in a mode.
func sshOnPath(t *testing.T, mode string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Symlink(os.Args[0], filepath.Join(dir, "ssh")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	t.Setenv("PATH", dir)
	t.Setenv("REMOTE_TEST_SSH", mode)
}

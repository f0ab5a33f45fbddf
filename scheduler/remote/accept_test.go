package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"reckoner/scheduler/job"
)

// Given a key that was shown and accepted, then ssh knows the computer by it;
// given another key meanwhile, then nothing is written.
func TestOnlyTheKeyThatWasShownIsAccepted(t *testing.T) {
	known := filepath.Join(t.TempDir(), "known_hosts")
	t.Setenv("REMOTE_TEST_KNOWN", known)
	host, err := ParseHost("gpu-1")
	if err != nil {
		t.Fatal(err)
	}
	var calls []string
	err = Accept(t.Context(), host, "ssh-ed25519 SHA256:another", fake(&calls, "learns"))
	e, ok := errors.AsType[*job.Error](err)
	if !ok || e.Code != job.ErrHostKey || e.Args.Fingerprint != hostKeyPrint {
		t.Errorf("another key: %+v", err)
	}
	if _, err := os.Stat(known); !os.IsNotExist(err) {
		t.Errorf("another key was written: %v", err)
	}
	if err := Accept(t.Context(), host, "ssh-ed25519 "+hostKeyPrint, fake(&calls, "learns")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(known); err != nil || string(got) != "gpu-1 "+hostKeyLine+"\n" {
		t.Errorf("known hosts are %q, %v", got, err)
	}
	for _, c := range calls {
		if strings.Contains(c, "StrictHostKeyChecking=no") {
			t.Errorf("a key is taken unseen by %q", c)
		}
	}
}

func TestAHostThatCannotBeReachedHasNoKeyToAccept(t *testing.T) {
	t.Setenv("REMOTE_TEST_KNOWN", filepath.Join(t.TempDir(), "known_hosts"))
	host, err := ParseHost("gpu-1")
	if err != nil {
		t.Fatal(err)
	}
	var calls []string
	err = Accept(t.Context(), host, hostKeyPrint, fake(&calls, "learns", "refused"))
	if job.CodeOf(err) != job.ErrHostKey || !strings.Contains(err.Error(), "Connection refused") {
		t.Error(err)
	}
}

// sshd starts OpenSSH's server on the loopback with keys of its own, and gives
// Options whose ssh reads a configuration of its own in which it is gpu-1.
func sshd(t *testing.T) Options {
	t.Helper()
	server, err := exec.LookPath("sshd")
	if err != nil {
		server = "/usr/sbin/sshd"
	}
	if _, err := os.Stat(server); err != nil || testing.Short() {
		t.Skip("no sshd on this computer, or -short")
	}
	dir := t.TempDir()
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"host", "id"} {
		out, err := exec.CommandContext(t.Context(), "ssh-keygen", "-q", "-t", "ed25519", "-N", "",
			"-f", filepath.Join(dir, key)).CombinedOutput()
		if err != nil {
			t.Skipf("ssh-keygen: %v: %s", err, out)
		}
	}
	write(t, filepath.Join(dir, "sshd_config"), fmt.Sprintf("Port %d\nListenAddress 127.0.0.1\nHostKey %s/host\n"+
		"AuthorizedKeysFile %s/id.pub\nStrictModes no\nUsePAM no\nPidFile none\nPasswordAuthentication no\n", port, dir, dir))
	write(t, filepath.Join(dir, "config"), fmt.Sprintf("Host gpu-1\n HostName 127.0.0.1\n Port %d\n IdentityFile %s/id\n"+
		" IdentitiesOnly yes\n UserKnownHostsFile %s/known_hosts\n GlobalKnownHostsFile none\n", port, dir, dir))
	cmd := exec.CommandContext(t.Context(), server, "-D", "-e", "-f", filepath.Join(dir, "sshd_config"))
	said := &report{}
	up := make(chan struct{})
	said.heard = func(line string) {
		if strings.Contains(line, "Server listening on 127.0.0.1 port "+strconv.Itoa(port)) {
			close(up)
		}
	}
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	select {
	case <-up:
	case <-ended:
		t.Skip("sshd does not run here: ", said.words())
	}
	return Options{Command: func(ctx context.Context, name string, args ...string) *exec.Cmd {
		return exec.CommandContext(ctx, name, append([]string{"-F", filepath.Join(dir, "config")}, args...)...)
	}}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestTheRealThing makes a computer known, and a tunnel to it, with OpenSSH's
// own programs.
func TestTheRealThing(t *testing.T) {
	o := sshd(t)
	at := echo(t)
	_, err := tunnelTo(t, at, o).Dial(t.Context(), "tcp", "")
	e, ok := errors.AsType[*job.Error](err)
	if !ok || e.Code != job.ErrHostKey || !strings.HasPrefix(e.Args.Fingerprint, "ssh-ed25519 SHA256:") {
		t.Fatalf("an unknown computer: %+v", err)
	}
	host, err := ParseHost("gpu-1")
	if err != nil {
		t.Fatal(err)
	}
	if err := Accept(t.Context(), host, e.Args.Fingerprint, o); err != nil {
		t.Fatal(err)
	}
	tunnel := tunnelTo(t, at, o)
	for range 2 {
		if back, err := says(t, tunnel, "hello"); err != nil || back != "hello" {
			t.Fatalf("%q, %v", back, err)
		}
	}
	if tunnel.link.mute {
		t.Error("this ssh says nothing of connections")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := l.Addr().String()
	_ = l.Close()
	if _, err := says(t, tunnelTo(t, nobody, o), "hello"); job.CodeOf(err) != job.ErrUnreachable ||
		!strings.Contains(err.Error(), "Connection refused") {
		t.Errorf("nobody behind the tunnel: %v", err)
	}
}

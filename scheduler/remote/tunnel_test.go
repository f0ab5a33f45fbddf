package remote

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"reckoner/scheduler/job"
)

func tunnelTo(t *testing.T, at string, o Options) *Tunnel {
	t.Helper()
	a, err := ParseAddress("ssh:gpu-1/" + at)
	if err != nil {
		t.Fatal(err)
	}
	tunnel := NewTunnel(a, o)
	t.Cleanup(tunnel.Close)
	return tunnel
}

// says sends a line through a tunnel and gives what comes back.
func says(t *testing.T, tunnel *Tunnel, line string) (string, error) {
	t.Helper()
	conn, err := tunnel.Dial(t.Context(), "tcp", "wherever:80")
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, line+"\n"); err != nil {
		return "", err
	}
	back, err := bufio.NewReader(conn).ReadString('\n')
	return strings.TrimSpace(back), err
}

// Given ssh on PATH, when connections are made, then one ssh carries them all,
// and it ends with the tunnel.
func TestConnectionsGoThroughOneSSH(t *testing.T) {
	sshOnPath(t, "up")
	tunnel := tunnelTo(t, echo(t), Options{})
	for _, line := range []string{"first", "second"} {
		if back, err := says(t, tunnel, line); err != nil || back != line {
			t.Errorf("%q came back as %q, %v", line, back, err)
		}
	}
	l := tunnel.link
	tunnel.Close()
	select {
	case <-l.ended:
	default:
		t.Error("ssh outlives its tunnel")
	}
	if _, err := tunnel.Dial(t.Context(), "tcp", ""); job.CodeOf(err) != job.ErrUnreachable {
		t.Errorf("after the end: %v", err)
	}
}

func TestTheCommandLineOfATunnel(t *testing.T) {
	var calls []string
	tunnel := tunnelTo(t, "8000", fake(&calls, "refused"))
	if _, err := tunnel.Dial(t.Context(), "tcp", ""); err == nil {
		t.Fatal("connected")
	}
	for _, part := range []string{
		"ssh -N -vv -T -o BatchMode=yes ", " -o ServerAliveInterval=5 ", " -o ExitOnForwardFailure=yes ",
		":127.0.0.1:8000 -- gpu-1",
	} {
		if !strings.Contains(calls[0], part) {
			t.Errorf("%q lacks %q", calls[0], part)
		}
	}
}

func TestWhySSHEndedIsSaid(t *testing.T) {
	const key = "ssh-ed25519 SHA256:ckH0lhGftIvti7n5ubRAVARs4+B2YICHXH6T+J9XzDA"
	for mode, want := range map[string]struct{ code, detail, key string }{
		"refused": {job.ErrUnreachable, "Connection refused", ""},
		"unknown": {job.ErrHostKey, "Host key verification failed.", key},
		"changed": {job.ErrHostKeyChanged, "IDENTIFICATION HAS CHANGED", key},
		"denied":  {job.ErrLogin, "Permission denied (publickey).", ""},
	} {
		var calls []string
		tunnel := tunnelTo(t, "8000", fake(&calls, mode))
		_, err := tunnel.Dial(t.Context(), "tcp", "")
		e, ok := errors.AsType[*job.Error](err)
		if !ok || e.Code != want.code || !strings.Contains(e.Args.Detail, want.detail) || e.Args.Fingerprint != want.key ||
			e.Args.Value != "ssh:gpu-1/8000" || strings.Contains(e.Args.Detail, "debug") {
			t.Errorf("%s: %+v", mode, err)
		}
		// Until its pause is over ssh is not started again.
		if _, err := tunnel.Dial(t.Context(), "tcp", ""); job.CodeOf(err) != want.code || len(calls) != 1 {
			t.Errorf("%s again: %v after %d starts", mode, err, len(calls))
		}
	}
	t.Setenv("PATH", t.TempDir())
	_, err := tunnelTo(t, "8000", Options{}).Dial(t.Context(), "tcp", "")
	if job.CodeOf(err) != job.ErrUnreachable || !strings.Contains(err.Error(), "ssh is not installed") {
		t.Errorf("without ssh: %v", err)
	}
}

// Given ssh that works and no server behind it, then the connection is refused,
// and not made and then broken.
func TestAServerThatDoesNotRunBehindATunnelIsDown(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	var calls []string
	tunnel := tunnelTo(t, nobody, fake(&calls, "up"))
	for range 2 {
		_, err = says(t, tunnel, "hello")
		if job.CodeOf(err) != job.ErrUnreachable || !strings.Contains(err.Error(), "Connection refused") {
			t.Error(err)
		}
	}
	if len(calls) != 1 {
		t.Errorf("ssh was started %d times", len(calls))
	}
}

// Given a forwarding in the user's configuration whose port is in use, as when
// the user's own ssh is open, then ours works all the same.
func TestAForwardingOfTheUsersDoesNotStandInTheWay(t *testing.T) {
	var calls []string
	tunnel := tunnelTo(t, echo(t), fake(&calls, "users-own"))
	if back, err := says(t, tunnel, "hello"); err != nil || back != "hello" {
		t.Errorf("%q, %v", back, err)
	}
	if len(calls) != 2 || !strings.Contains(calls[1], "ExitOnForwardFailure=no") {
		t.Errorf("asked with %q", calls)
	}
}

func TestSSHIsStartedAgainAfterAPause(t *testing.T) {
	var calls []string
	tunnel := tunnelTo(t, echo(t), fake(&calls, "dies", "up"))
	if _, err := says(t, tunnel, "hello"); err == nil {
		t.Fatal("the first one works")
	}
	l := tunnel.link
	if l != nil {
		<-l.ended
	}
	if tunnel.notUntil.Before(time.Now()) {
		t.Error("no pause after a failure")
	}
	tunnel.notUntil = time.Now()
	if back, err := says(t, tunnel, "hello"); err != nil || back != "hello" || len(calls) != 2 {
		t.Errorf("%q, %v after %d starts", back, err, len(calls))
	}
}

func TestPausesGrowAndWhereAPersonIsNeededTheyAreLong(t *testing.T) {
	for _, c := range []struct {
		failures int
		code     string
		random   float64
		want     time.Duration
	}{
		{0, job.ErrUnreachable, 0.9, time.Second},
		{3, job.ErrUnreachable, 0, 4 * time.Second},
		{3, job.ErrUnreachable, 0.5, 6 * time.Second},
		{100, job.ErrUnreachable, 1, time.Minute},
		{0, job.ErrLogin, 0, 30 * time.Second},
		{100, job.ErrHostKey, 1, 10 * time.Minute},
	} {
		if got := pause(c.failures, c.code, c.random); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestACallerThatGivesUpLeavesSSHToTheOthers(t *testing.T) {
	var calls []string
	tunnel := tunnelTo(t, "8000", fake(&calls, "silent"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tunnel.Dial(ctx, "tcp", ""); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if tunnel.link == nil {
		t.Error("ssh was ended")
	}
}

// Given an ssh whose words about connections are others, then a connection
// counts as made after a while, and later ones at once.
func TestAnSSHThatSaysNothingOfConnectionsIsUsedAllTheSame(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	synctest.Test(t, func(t *testing.T) {
		addr, _ := l.Addr().(*net.TCPAddr)
		link := newLink(Address{}, addr.Port, nil)
		for i, want := range []time.Duration{arriveWait, 0} {
			began := time.Now()
			conn, err := link.open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			_ = conn.Close()
			if took := time.Since(began); took != want {
				t.Errorf("connection %d after %v, want %v", i, took, want)
			}
		}
	})
}

func TestALineWithoutEndDoesNotGrow(t *testing.T) {
	r := &report{}
	for range 100 {
		if _, err := r.Write([]byte(strings.Repeat("x", 1000))); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		if _, err := r.Write([]byte("\r\nkex_exchange_identification: read: Connection reset by peer")); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(r.words()); n > maxSaid+maxLine || FaultOf(r.words()) != LinkLost {
		t.Errorf("%d bytes are kept, ending %q", n, FaultOf(r.words()))
	}
}

func TestAKeyIsAppendedOnALineOfItsOwn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "known_hosts")
	for _, line := range []string{"a ssh-rsa AAAA", "b ssh-rsa BBBB"} {
		if err := appendLine(file, line); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, []byte("no end"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := appendLine(file, "c ssh-rsa CCCC"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != "no end\nc ssh-rsa CCCC\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestFingerprintsAreSSHsOwn(t *testing.T) {
	got, ok := fingerprintOf("[127.0.0.1]:2299 " + hostKeyLine + " a comment\n")
	if !ok || got != hostKeyPrint { // as ssh-keygen -lf shows it
		t.Errorf("%q, %v", got, ok)
	}
	for _, bad := range []string{"", "# comment with words", "@revoked * ssh-rsa AAAA", "h ssh-rsa !!!", "h ssh-rsa"} {
		if got, ok := fingerprintOf(bad); ok {
			t.Errorf("%q has the fingerprint %q", bad, got)
		}
	}
}

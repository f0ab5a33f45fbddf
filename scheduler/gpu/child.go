package gpu

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"sync"
	"time"
)

// Bounds on a tool: the longest line that is read, how much of its standard
// error is kept, and how long it may take to die.
const (
	maxLine   = 8 << 10
	maxStderr = 4 << 10
	dyingTime = 2 * time.Second
)

// child is a running tool whose lines are read as they come. Its pipe is always
// drained, so that the tool never stops in the middle of a write.
type child struct {
	lines  chan string // closed when the tool has ended and all was read
	leave  context.CancelFunc
	gone   chan struct{} // closed when nobody reads lines any more
	done   chan struct{} // closed when the tool has ended
	err    error         // of the tool, once done is closed
	stderr *tail
}

// start starts a tool. The caller must call end.
func start(ctx context.Context, opt Options, name string, args ...string) (*child, error) {
	ctx, cancel := context.WithCancel(ctx)
	cmd := opt.Command(ctx, name, args...)
	c := &child{
		lines:  make(chan string, 64),
		leave:  cancel,
		gone:   make(chan struct{}),
		done:   make(chan struct{}),
		stderr: &tail{max: maxStderr},
	}
	if cmd.Env == nil {
		cmd.Env = cmd.Environ()
	}
	cmd.Env = append(cmd.Env, "LC_ALL=C")
	withoutWindow(cmd)
	out := &lineWriter{emit: c.emit}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = out, c.stderr, dyingTime
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, err
	}
	if opt.started != nil {
		opt.started(cmd.Process.Pid)
	}
	go func() {
		c.err = cmd.Wait()
		out.flush()
		close(c.lines)
		close(c.done)
	}()
	return c, nil
}

func (c *child) emit(line string) {
	select {
	case c.lines <- line:
	case <-c.gone:
	}
}

// end stops the tool and waits for it, but not for ever: a tool that is stuck in
// a broken driver cannot be killed. It tells whether the tool has ended. When it
// has not, one goroutine goes on waiting for it, and done tells when.
func (c *child) end() bool {
	c.leave()
	close(c.gone)
	patience := time.NewTimer(2 * dyingTime)
	defer patience.Stop()
	select {
	case <-c.done:
		return true
	case <-patience.C:
		return false
	}
}

// status gives the tool's exit status, once it has ended; 255 where it has none,
// as when a signal ended it.
func (c *child) status() int {
	if exit, ok := errors.AsType[*exec.ExitError](c.err); ok && exit.ExitCode() >= 0 {
		return exit.ExitCode()
	}
	if c.err != nil {
		return 255
	}
	return 0
}

// lineWriter cuts what is written to it into lines, without their ends. What is
// longer than maxLine is cut short.
type lineWriter struct {
	emit func(string)
	line []byte
}

func (w *lineWriter) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		part, rest, ended := bytes.Cut(b, []byte{'\n'})
		b = rest
		w.line = append(w.line, part[:min(len(part), maxLine-len(w.line))]...)
		if ended {
			w.flush()
		}
	}
	return n, nil
}

// flush hands over the line so far, if there is one.
func (w *lineWriter) flush() {
	line := bytes.TrimRight(w.line, "\r")
	if len(line) > 0 {
		w.emit(string(line))
	}
	w.line = w.line[:0]
}

// tail keeps the last max bytes that are written to it.
type tail struct {
	max  int
	mu   sync.Mutex
	kept []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - t.max; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}

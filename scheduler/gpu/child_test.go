package gpu

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestAToolThatCannotBeEndedIsLeftBehind: a process in uninterruptible sleep
// survives every signal.
func TestAToolThatCannotBeEndedIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := false
		c := &child{
			lines: make(chan string), leave: func() { told = true },
			gone: make(chan struct{}), done: make(chan struct{}),
		}
		began := time.Now()
		if c.end() {
			t.Error("it counts as ended")
		}
		if waited := time.Since(began); !told || waited != 2*dyingTime {
			t.Errorf("told to end: %v; left after %v", told, waited)
		}
		c.emit("a late line") // must not block
	})
}

func TestLinesAreBounded(t *testing.T) {
	var lines []string
	w := &lineWriter{emit: func(l string) { lines = append(lines, l) }}
	for _, s := range []string{
		strings.Repeat("x", maxLine), strings.Repeat("x", maxLine), "\r\n\nsho", "rt\r\nrest",
	} {
		if n, err := w.Write([]byte(s)); err != nil || n != len(s) {
			t.Fatalf("%d of %d bytes, %v", n, len(s), err)
		}
	}
	w.flush()
	if len(lines) != 3 || len(lines[0]) != maxLine || lines[1] != "short" || lines[2] != "rest" {
		t.Errorf("%d lines, the first of %d bytes: %q", len(lines), len(lines[0]), lines[1:])
	}
}

func TestTheEndOfWhatIsSaidIsKept(t *testing.T) {
	e := &tail{max: 4}
	for _, s := range []string{"ab", "cdef", "g"} {
		if _, err := e.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
	}
	if e.String() != "defg" {
		t.Errorf("the tail is %q", e)
	}
}

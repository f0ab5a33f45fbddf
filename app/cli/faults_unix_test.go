//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Given a pipe that nobody writes, when it is taken for a job, then it is refused
// at once.
func TestAPipeIsNoJobFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.json")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"inspect", path}, {"run", "--server", gpu1, path}, {"inspect", os.DevNull}} {
		done := make(chan ran, 1)
		go func() { done <- runCLI(t, newFakeParts(t), args...) }()
		select {
		case got := <-done:
			if got.status != exitUsage || !strings.Contains(got.stderr, "not a plain file") {
				t.Errorf("%v: exit %d\n%s", args, got.status, got.stderr)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%v waits", args)
		}
	}
}

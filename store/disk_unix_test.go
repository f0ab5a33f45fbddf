//go:build unix

package store

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"reckoner/scheduler/job"
)

// fillTheDisk lets files grow no further, which to a program is what a full
// disk is: the system refuses to write more. Then it lets them grow again.
func fillTheDisk(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	ctx := context.Background()
	s, err := Open(dir, testOptions())
	if err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(dir, fileDB))
	if err != nil {
		return err
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	full := limit
	full.Cur = uint64(info.Size())
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		return err
	}
	saved := 0
	for ; err == nil && saved < 10_000; saved++ {
		j := bigJob(saved)
		err = s.Save(ctx, job.Changes{Jobs: []*job.Job{j}, Runs: []*job.Run{openRun(j, 1, job.RunIntended)}})
	}
	saved-- // the last one was refused
	if job.CodeOf(err) != job.ErrDisk {
		return fmt.Errorf("after %d saves: %w, want %s", saved, err, job.ErrDisk)
	}
	if _, err := s.PutBlob(ctx, make([]byte, info.Size()+1)); job.CodeOf(err) != job.ErrDisk {
		return fmt.Errorf("a blob on a full disk: %w, want %s", err, job.ErrDisk)
	}
	if kept, err := s.Load(ctx); err != nil || len(kept.Jobs) != saved {
		return fmt.Errorf("reading on a full disk: %d jobs, want %d, %w", len(kept.Jobs), saved, err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if err := s.Save(ctx, job.Changes{Jobs: []*job.Job{bigJob(saved)}}); err != nil {
		return fmt.Errorf("with room again: %w", err)
	}
	fmt.Println(saved + 1)
	return s.Close()
}

func bigJob(n int) *job.Job {
	j := waitingJob(n)
	j.Name = strings.Repeat("long name ", 300)
	return j
}

func TestAFullDiskRefusesWholeSavesAndLaterOnesWork(t *testing.T) {
	dir := t.TempDir()
	out, err := helperCommand(t, "full", dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := atoi(t, string(out))
	s := mustOpen(t, dir)
	kept := mustLoad(t, s)
	if want < 2 || len(kept.Jobs) != want || len(kept.Runs) != want-1 {
		t.Errorf("%d jobs with %d runs, want %d with one less", len(kept.Jobs), len(kept.Runs), want)
	}
	left, err := os.ReadDir(filepath.Join(dir, dirBlobs))
	if err != nil || len(left) != 0 {
		t.Errorf("left in blobs: %v, %v", left, err)
	}
}

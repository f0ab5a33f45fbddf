package store

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"reckoner/scheduler/job"
)

func TestABlobComesBackUnderItsSum(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir)
	// The SHA-256 of "abc" (FIPS 180-4, example 1).
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	for range 2 {
		sha, err := s.PutBlob(t.Context(), []byte("abc"))
		if err != nil || sha != abc {
			t.Fatalf("%q, %v", sha, err)
		}
	}
	if got, err := s.Blob(t.Context(), abc); err != nil || string(got) != "abc" {
		t.Errorf("%q, %v", got, err)
	}
	path := filepath.Join(dir, dirBlobs, abc)
	if err := os.WriteFile(path, []byte("abd"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Blob(t.Context(), abc); job.CodeOf(err) != job.ErrDamaged {
		t.Errorf("changed content: %v, want %s", err, job.ErrDamaged)
	}
	// The same content given again heals it.
	if _, err := s.PutBlob(t.Context(), []byte("abc")); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Blob(t.Context(), abc); err != nil || string(got) != "abc" {
		t.Errorf("healed: %q, %v", got, err)
	}
}

func TestABlobsNameIsNeverAPath(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	for _, name := range []string{
		"", "..", "../lock", "/etc/passwd", "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD",
	} {
		if _, err := s.Blob(t.Context(), name); job.CodeOf(err) != job.ErrNotFound {
			t.Errorf("%q: %v, want %s", name, err, job.ErrNotFound)
		}
	}
}

func TestBlobsFromManyGoroutines(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			content := bytes.Repeat([]byte{byte(n % 2)}, 1000)
			sha, err := s.PutBlob(t.Context(), content)
			if err != nil {
				t.Error(err)
				return
			}
			if got, err := s.Blob(t.Context(), sha); err != nil || !bytes.Equal(got, content) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
	wg.Wait()
}

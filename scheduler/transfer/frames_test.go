package transfer

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestAFirstFrameIsReadOnceAndAgainWhenTheVideoChanged(t *testing.T) {
	// Given a video whose first frame was read
	folder := filepath.Join(t.TempDir(), "cache", "frames")
	path := video(t, pngOf(t, 64, 36))
	p := playing(t, "frame")
	p.frames = frames(folder)
	if _, err := p.Small(t.Context(), path, nil, 16, 16); err != nil {
		t.Fatal(err)
	}
	// when it is wanted at the next start, then nothing is run for it
	again := NewPictures(folder)
	again.tool = func() (string, error) { t.Error("the frame was read again"); return "", os.ErrNotExist }
	if m, err := again.Small(t.Context(), path, nil, 16, 16); err != nil || m.Bounds().Dx() != 16 {
		t.Errorf("%v, %v", m, err)
	}
	// but the frame of another video of that name is read
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	ran := false
	p.tool = func() (string, error) { ran = true; return os.Executable() }
	if _, err := p.Small(t.Context(), path, nil, 16, 16); err != nil || !ran {
		t.Errorf("an old frame is shown (%v)", err)
	}
	// and so is one whose kept frame was damaged
	kept, err := filepath.Glob(filepath.Join(folder, "*"+frameEnding))
	if err != nil || len(kept) != 2 {
		t.Fatalf("kept %q, %v", kept, err)
	}
	for _, k := range kept {
		if err := os.WriteFile(k, []byte("no picture"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ran = false
	if _, err := p.Small(t.Context(), path, nil, 16, 16); err != nil || !ran {
		t.Errorf("a damaged frame was taken (%v)", err)
	}
}

func TestKeptFramesAreBounded(t *testing.T) {
	folder := frames(t.TempDir())
	for i := range mostFrames {
		name := fmt.Sprintf("%04d%s", i, frameEnding)
		if err := os.WriteFile(filepath.Join(string(folder), name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(time.Duration(i-mostFrames) * time.Minute)
		if err := os.Chtimes(filepath.Join(string(folder), name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	folder.put("new"+frameEnding, []byte("x"))
	left, err := os.ReadDir(string(folder))
	if err != nil || len(left) != mostFrames*3/4 {
		t.Errorf("%d are left, want %d (%v)", len(left), mostFrames*3/4, err)
	}
	if folder.get("new"+frameEnding) == nil || folder.get("0000"+frameEnding) != nil {
		t.Error("the oldest did not go first")
	}
}

package transfer

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reckoner/scheduler/job"
)

// playedTool says in the environment what this program plays when it is run as
// ffmpeg.
const playedTool = "RECKONER_PLAYED_FFMPEG"

// playTool plays ffmpeg.
func playTool(play string) int {
	in := os.Args[slices.Index(os.Args, "-i")+1]
	path, _ := strings.CutPrefix(in, "file:")
	content, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(in, "file:/") {
		fmt.Fprintln(os.Stderr, "it cannot be read:", in, err)
		return 1
	}
	switch play {
	case "frame": // a picture of another size than was asked for
		_, _ = os.Stdout.Write(content[len(videoHead):])
	case "broken":
		fmt.Fprintln(os.Stderr, "moov atom not found\nmore")
		return 1
	case "endless":
		for {
			if _, err := os.Stdout.Write(content); err != nil {
				return 1
			}
		}
	}
	return 0
}

// videoHead is how an MP4 begins.
const videoHead = "\x00\x00\x00\x18ftypisom"

// playing makes Pictures for which this program plays ffmpeg.
func playing(t *testing.T, play string) *Pictures {
	t.Helper()
	t.Setenv(playedTool, play)
	p := NewPictures("")
	p.tool = os.Executable
	return p
}

// video writes a file that begins as a video, with what the played tool gives.
func video(t *testing.T, frame []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "-clip.mp4") // as an option begins
	if err := os.WriteFile(path, append([]byte(videoHead), frame...), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOfAVideoTheFirstFrameIsShown(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	p := playing(t, "frame")
	path := video(t, pngOf(t, 64, 36))
	if m, err := p.Small(t.Context(), path, nil, 16, 16); err != nil || m.Bounds() != image.Rect(0, 0, 16, 16) {
		t.Errorf("of a file: %v, %v", m, err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := p.Small(t.Context(), "", content, 16, 16); err != nil || m.Bounds() != image.Rect(0, 0, 16, 16) {
		t.Errorf("of an input: %v, %v", m, err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

func TestAVideoWithoutAPictureSaysWhy(t *testing.T) {
	t.Run("no ffmpeg", func(t *testing.T) {
		p := NewPictures("")
		p.tool = func() (string, error) { return "", exec.ErrNotFound }
		if _, err := p.Small(t.Context(), video(t, nil), nil, 16, 16); reason(err) != job.PictureNoTool {
			t.Error(err)
		}
		if _, err := p.Small(t.Context(), "", []byte(videoHead), 16, 16); reason(err) != job.PictureNoTool {
			t.Error(err)
		}
	})
	t.Run("no video in it", func(t *testing.T) {
		_, err := playing(t, "broken").Small(t.Context(), video(t, nil), nil, 16, 16)
		e, _ := errors.AsType[*job.Error](err)
		if reason(err) != job.PictureDamaged || e.Args.Detail != "moov atom not found" {
			t.Error(err)
		}
	})
	t.Run("no end of it", func(t *testing.T) {
		p := playing(t, "endless")
		p.wait = 100 * time.Millisecond
		if _, err := p.Small(t.Context(), video(t, []byte("x")), nil, 16, 16); reason(err) != job.PictureSlow {
			t.Error(err)
		}
	})
	t.Run("nobody wants it any more", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := playing(t, "endless").Small(ctx, video(t, nil), nil, 16, 16); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	t.Run("a picture that is packed as a video is", func(t *testing.T) {
		if _, err := smallOf(t, []byte("\x00\x00\x00\x18ftypavif...."), 8, 8); reason(err) != job.PictureUnknown {
			t.Error(err)
		}
	})
}

// TestFFmpegItself reads a real video, where there is a real ffmpeg.
func TestFFmpegItself(t *testing.T) {
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("the other tests play it:", err)
	}
	m, err := NewPictures("").Small(t.Context(), filepath.Join("testdata", "clip.mp4"), nil, 20, 20)
	if err != nil {
		t.Fatal(err)
	}
	if r, _, b, a := m.At(10, 10).RGBA(); m.Bounds() != image.Rect(0, 0, 20, 20) || r < a/2 || b > a/4 {
		t.Errorf("%v in the middle of %v, want red", m.At(10, 10), m.Bounds())
	}
	if _, err := NewPictures("").Small(t.Context(), video(t, nil), nil, 20, 20); reason(err) != job.PictureDamaged {
		t.Errorf("of an empty one: %v", err)
	}
}

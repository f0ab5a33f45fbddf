package thumbs

import (
	"context"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start makes a cache whose news of ready pictures go to a channel.
func start(t *testing.T) (*Cache, <-chan struct{}) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ready := make(chan struct{}, mostWanted)
	c := Start(ctx, slog.New(slog.DiscardHandler), func() { ready <- struct{}{} })
	t.Cleanup(func() { cancel(); c.Wait() })
	return c, ready
}

func wait(t *testing.T, ready <-chan struct{}) {
	t.Helper()
	select {
	case <-ready:
	case <-time.After(30 * time.Second):
		t.Fatal("no picture became ready")
	}
}

// save writes a picture, its left half red and its right half blue.
func save(t *testing.T, w, h int) string {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.RGBA{R: 0xff, A: 0xff}
			if x >= w/2 {
				c = color.RGBA{B: 0xff, A: 0xff}
			}
			img.SetRGBA(x, y, c)
		}
	}
	file := filepath.Join(t.TempDir(), "out.png")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(f, img); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestAPictureIsMadeOnceAndFillsItsField(t *testing.T) {
	c, ready := start(t)
	file := save(t, 300, 100)
	if c.Get(file, 50, 40) != nil {
		t.Fatal("a picture was there before it was made")
	}
	wait(t, ready)
	got := c.Get(file, 50, 40)
	if got == nil || got.Bounds().Dx() != 50 || got.Bounds().Dy() != 40 {
		t.Fatalf("the picture is %v, want 50 by 40", got)
	}
	// The middle of the picture is what is shown: both halves of it.
	if r, _, _, _ := got.At(5, 20).RGBA(); r < 0xf000 {
		t.Error("the left half is not there")
	}
	if _, _, b, _ := got.At(45, 20).RGBA(); b < 0xf000 {
		t.Error("the right half is not there")
	}
	if again := c.Get(file, 50, 40); again != got {
		t.Error("the picture was made again")
	}
}

func TestWhatIsNoPictureStaysWithoutOne(t *testing.T) {
	c, ready := start(t)
	bad := filepath.Join(t.TempDir(), "video.mp4")
	if err := os.WriteFile(bad, []byte("no picture at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.Get(bad, 50, 40)
	c.Get(filepath.Join(t.TempDir(), "gone.png"), 50, 40)
	c.Get("", 50, 40)
	good := save(t, 10, 10)
	c.Get(good, 50, 40)
	wait(t, ready)
	if c.Get(bad, 50, 40) != nil || c.Get("", 50, 40) != nil {
		t.Error("something that is no picture has one")
	}
	if c.Get(good, 50, 40) == nil {
		t.Error("bad files kept a good one from being made")
	}
}

func TestTheCacheIsBounded(t *testing.T) {
	c, ready := start(t)
	file := save(t, 8, 8)
	// Each picture is a quarter of what is kept.
	const side = 1448
	for i := range 8 {
		c.Get(file, side, side+i)
		wait(t, ready)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bytes > mostKept || len(c.known) != c.recent.Len() {
		t.Errorf("%d bytes are kept in %d pictures (%d in the list), want at most %d", c.bytes, len(c.known), c.recent.Len(),
			mostKept)
	}
}

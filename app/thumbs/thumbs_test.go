package thumbs

import (
	"context"
	"errors"
	"image"
	"log/slog"
	"testing"
	"time"

	"go.uber.org/goleak"

	"reckoner/scheduler/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start makes a cache whose news of ready pictures go to a channel.
func start(t *testing.T, maker Maker) (*Cache, <-chan struct{}) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ready := make(chan struct{}, mostWanted)
	c := Start(ctx, slog.New(slog.DiscardHandler), maker, func() { ready <- struct{}{} })
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

// blank makes pictures without anything on them.
func blank(_ context.Context, _ job.Picture, width, height int) (image.Image, error) {
	return image.NewRGBA(image.Rect(0, 0, width, height)), nil
}

func TestAPictureIsMadeOnce(t *testing.T) {
	c, ready := start(t, blank)
	of := job.Picture{File: "out.png"}
	if got, why := c.Get(of, 50, 40); got != nil || why != nil {
		t.Fatal("a picture, or a reason, was there before it was made")
	}
	wait(t, ready)
	got, why := c.Get(of, 50, 40)
	if why != nil || got == nil || got.Bounds() != image.Rect(0, 0, 50, 40) {
		t.Fatalf("the picture is %v (%v), want 50 by 40", got, why)
	}
	if again, _ := c.Get(of, 50, 40); again != got {
		t.Error("the picture was made again")
	}
	if _, why := c.Get(job.Picture{}, 50, 40); why != nil || len(c.wanted) > 0 {
		t.Error("a picture of nothing is made")
	}
}

func TestWhatCannotBeShownKeepsItsReason(t *testing.T) {
	noTool := job.Errorf(job.ErrNoPicture, job.Args{Value: job.PictureNoTool}, nil)
	c, ready := start(t, func(ctx context.Context, of job.Picture, w, h int) (image.Image, error) {
		switch of.File {
		case "video.mp4":
			return nil, noTool
		case "odd":
			return nil, errors.New("odd")
		}
		return blank(ctx, of, w, h)
	})
	for _, file := range []string{"video.mp4", "odd", "good.png"} {
		_, _ = c.Get(job.Picture{File: file}, 50, 40)
		wait(t, ready)
	}
	if got, why := c.Get(job.Picture{File: "video.mp4"}, 50, 40); got != nil || why != noTool {
		t.Errorf("of a video: %v, %v", got, why)
	}
	if got, why := c.Get(job.Picture{File: "odd"}, 50, 40); got != nil || why == nil || why.Code != job.ErrNoPicture {
		t.Errorf("of something odd: %v, %v", got, why)
	}
	if got, why := c.Get(job.Picture{File: "good.png"}, 50, 40); got == nil || why != nil {
		t.Error("bad files kept a good one from being made")
	}
}

func TestTheCacheIsBounded(t *testing.T) {
	c, ready := start(t, blank)
	// Each picture is a quarter of what is kept.
	const side = 1448
	for i := range 8 {
		_, _ = c.Get(job.Picture{File: "out.png"}, side, side+i)
		wait(t, ready)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bytes > mostKept || len(c.known) != c.recent.Len() {
		t.Errorf("%d bytes are kept in %d pictures (%d in the list), want at most %d", c.bytes, len(c.known), c.recent.Len(),
			mostKept)
	}
}

func TestANewerFrameTakesThePlaceOfTheOneBefore(t *testing.T) {
	// Given what a server shows of its work, whose third frame is damaged
	made := make(chan int, 10)
	frames := 0
	c, ready := start(t, func(_ context.Context, of job.Picture, width, height int) (image.Image, error) {
		frames++
		made <- of.Frame
		if frames == 3 {
			return nil, errors.New("damaged")
		}
		return image.NewRGBA(image.Rect(0, 0, width, height+frames)), nil
	})
	show := func(frame int) int {
		got, why := c.Get(job.Picture{Live: "p", Frame: frame}, 50, 40)
		if why != nil {
			t.Fatalf("frame %d: %v", frame, why)
		}
		if got == nil {
			return 0
		}
		return got.Bounds().Dy() - 40
	}
	// then each is shown once it is made, and the one before until then
	for _, c := range []struct{ frame, at, after int }{{1, 0, 1}, {2, 1, 2}, {3, 2, 2}, {4, 2, 4}} {
		if got := show(c.frame); got != c.at {
			t.Errorf("frame %d: %d is shown at first, want %d", c.frame, got, c.at)
		}
		wait(t, ready)
		if got := show(c.frame); got != c.after {
			t.Errorf("frame %d: %d is shown then, want %d", c.frame, got, c.after)
		}
	}
	if len(made) != 4 || len(c.known) != 1 {
		t.Errorf("%d were made, %d are kept", len(made), len(c.known))
	}
}

package scheduler_test

import (
	"context"
	"image"
	"testing"
	"testing/synctest"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// shown makes pictures that are as wide as what they are made of says.
type shown map[string]int

func (s shown) Small(_ context.Context, file string, content []byte, _, _ int) (image.Image, error) {
	width, ok := s[file+string(content)]
	if !ok {
		return nil, job.Errorf(job.ErrNoPicture, job.Args{File: file, Value: job.PictureNoTool}, nil)
	}
	return image.NewRGBA(image.Rect(0, 0, width, 1)), nil
}

func TestTheEngineFindsWhatAPictureIsMadeOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory()
		blob, err := store.PutBlob(t.Context(), []byte("input"))
		if err != nil {
			t.Fatal(err)
		}
		engine, err := scheduler.New(scheduler.Config{
			Store: store, Clock: job.NewClock(1), Fetcher: handed{}, NewID: func() job.ID { return "id" },
			Connect:  func(job.Server) (scheduler.RenderServer, error) { return &played{takes: time.Minute}, nil },
			Pictures: shown{"a.png": 1, "input": 2},
		})
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			of    job.Picture
			width int
			why   string
		}{
			"a picture":                       {of: job.Picture{File: "a.png"}, width: 1},
			"a video, and its first frame":    {of: job.Picture{File: "a.mp4", Else: "a.png"}, width: 1},
			"a video by itself":               {of: job.Picture{File: "a.mp4"}, why: job.PictureNoTool},
			"a video, and no picture either":  {of: job.Picture{File: "a.mp4", Else: "b.png"}, why: job.PictureNoTool},
			"an input":                        {of: job.Picture{Blob: blob}, width: 2},
			"an input that is not kept (yet)": {of: job.Picture{Blob: "other"}, why: job.PictureGone},
			"nothing":                         {why: job.PictureUnknown},
		} {
			m, err := engine.Picture(t.Context(), c.of, 8, 8)
			if c.why == "" && (err != nil || m.Bounds().Dx() != c.width) {
				t.Errorf("%s: %v, %v", name, m, err)
			}
			if c.why != "" && (err == nil || asCoded(t, err).Args.Value != c.why) {
				t.Errorf("%s: %v, want %s", name, err, c.why)
			}
		}
	})
}

func asCoded(t *testing.T, err error) *job.Error {
	t.Helper()
	e, ok := err.(*job.Error) //nolint:errorlint // they are not wrapped
	if !ok {
		t.Fatalf("%v has no code", err)
	}
	return e
}

package queue

import (
	"image"
	"slices"
	"testing"

	"reckoner/app/scenetest"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// asked notes which pictures were wanted, and says that there is none.
type asked struct {
	of  *[]job.Picture
	why *job.Error
}

func (a asked) Get(of job.Picture, _, _ int) (image.Image, *job.Error) {
	*a.of = append(*a.of, of)
	return nil, a.why
}

func TestAWaitingJobShowsItsInput(t *testing.T) {
	// Given a waiting job that reads a picture
	s := scenetest.Story()
	at := slices.IndexFunc(s.Waiting, func(v scheduler.JobView) bool { return v.Job.ID == "job-forest-loop" })
	reads := *s.Waiting[at].Job
	reads.Inputs = []job.InputFile{{File: "start.png", Blob: "b1"}}
	s.Waiting[at].Job = &reads
	p, _ := newTestPage(t, scenetest.Story())
	var of []job.Picture
	p.pictures = asked{of: &of}
	p.details.pictures = p.pictures
	// when it is on screen
	p.Apply(s)
	p.Select(reads.ID)
	// then that is its picture, in its row and in the details
	if n := len(of); n < 2 || !slices.Contains(of[:n-1], job.Picture{Blob: "b1"}) || of[n-1] != (job.Picture{Blob: "b1"}) {
		t.Errorf("asked for %+v", of)
	}
}

func TestTheDetailsSayWhyThereIsNoPicture(t *testing.T) {
	p, _ := newTestPage(t, scenetest.Story())
	var of []job.Picture
	p.details.pictures = asked{&of, job.Errorf(job.ErrNoPicture, job.Args{Value: job.PictureNoTool}, nil)}
	p.Select("job-beach-walk")
	if want := "The first frame of a video is shown once ffmpeg is installed."; p.details.state.NoPicture != want {
		t.Errorf("said %q, want %q", p.details.state.NoPicture, want)
	}
	p.details.pictures = asked{&of, nil}
	p.Select("job-forest-loop")
	if p.details.state.NoPicture != "" {
		t.Errorf("said %q of another", p.details.state.NoPicture)
	}
}

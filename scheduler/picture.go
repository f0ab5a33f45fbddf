package scheduler

import (
	"context"
	"image"

	"reckoner/scheduler/job"
)

// Picture makes a small picture of a result, an input or a preview, of so many pixels. It
// waits for the disk, and for a video's first frame. The error is
// job.ErrNoPicture, or that of ctx.
func (e *Engine) Picture(ctx context.Context, of job.Picture, width, height int) (image.Image, error) {
	none := job.Errorf(job.ErrNoPicture, job.Args{File: of.File, Value: job.PictureUnknown}, nil)
	switch {
	case e.cfg.Pictures == nil:
		return nil, none
	case of.File != "":
		picture, err := e.cfg.Pictures.Small(ctx, of.File, nil, width, height)
		if err == nil || of.Else == "" || ctx.Err() != nil {
			return picture, err
		}
		if instead, otherErr := e.cfg.Pictures.Small(ctx, of.Else, nil, width, height); otherErr == nil {
			return instead, nil
		}
		return nil, err // why there is none of what was made
	case of.Live != "":
		content := e.hosts.frames.newest(of.Live)
		if content == nil {
			return nil, job.Errorf(job.ErrNoPicture, job.Args{Value: job.PictureGone}, nil)
		}
		return e.cfg.Pictures.Small(ctx, "", content, width, height)
	case of.Blob != "":
		content, err := e.cfg.Store.Blob(ctx, of.Blob)
		if err != nil {
			return nil, job.Errorf(job.ErrNoPicture, job.Args{Value: job.PictureGone}, err)
		}
		return e.cfg.Pictures.Small(ctx, "", content, width, height)
	}
	return nil, none
}

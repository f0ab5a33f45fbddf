package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/gif"  // what image.Decode can read
	_ "image/jpeg" // likewise
	_ "image/png"  // likewise
	"io"
	"io/fs"
	"os"
	"time"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // likewise

	"reckoner/scheduler/job"
)

const (
	// maxDecoded bounds what one picture may take in memory, and maxSide how long
	// a side of it may be.
	maxDecoded = 256 << 20 // bytes
	maxSide    = 1 << 15   // pixels
	maxSmall   = 2048      // pixels
	// frameWait is how long the first frame of a video may take.
	frameWait = 10 * time.Second
)

// Pictures makes small pictures of pictures and, with ffmpeg, of videos. Its
// methods may be called from any goroutine; they wait for the disk.
type Pictures struct {
	tool   func() (string, error) // where ffmpeg is
	wait   time.Duration
	frames frames
}

// NewPictures makes Pictures that look for ffmpeg where programs are, and keep
// first frames of videos in a folder, which they make; "" keeps none.
func NewPictures(folder string) *Pictures {
	return &Pictures{tool: findTool, wait: frameWait, frames: frames(folder)}
}

// Small makes a picture of so many pixels, which the middle of a picture (PNG,
// JPEG, GIF, WebP, of moving ones the first frame) or of a video's first frame
// fills. It is made of content when that is not nil, else of a file. The error
// is job.ErrNoPicture; its Value says why there is none.
func (p *Pictures) Small(ctx context.Context, file string, content []byte, width, height int) (image.Image, error) {
	width, height = min(max(width, 1), maxSmall), min(max(height, 1), maxSmall)
	if content != nil {
		if kind := videoKind(content); kind != "" {
			return p.kept(ctx, content, kind, width, height)
		}
		return small(file, bytes.NewReader(content), width, height)
	}
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noPicture(file, job.PictureGone, "", err)
	}
	if err != nil {
		return nil, noPicture(file, job.PictureUnreadable, err.Error(), err)
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, sniffed)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, noPicture(file, job.PictureUnreadable, err.Error(), err)
	}
	kind := videoKind(head[:n])
	if kind == "" {
		return small(file, f, width, height)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, noPicture(file, job.PictureUnreadable, err.Error(), err)
	}
	return p.firstFrame(ctx, file, info, kind, width, height)
}

// firstFrame gives the first frame of a video, as it was kept or read anew.
func (p *Pictures) firstFrame(
	ctx context.Context, file string, info fs.FileInfo, kind string, width, height int,
) (image.Image, error) {
	name := p.frames.name(file, info, width, height)
	if kept := p.frames.get(name); kept != nil {
		if picture, err := small(file, bytes.NewReader(kept), width, height); err == nil {
			return picture, nil
		}
	}
	frame, err := p.readFrame(ctx, file, kind, width, height)
	if err != nil {
		return nil, err
	}
	picture, err := small(file, bytes.NewReader(frame), width, height)
	if err == nil {
		p.frames.put(name, frame)
	}
	return picture, err
}

// noPicture says why there is no small picture of a file.
func noPicture(file, why, detail string, cause error) error {
	return job.Errorf(job.ErrNoPicture, job.Args{File: file, Value: why, Detail: detail}, cause)
}

// small reads a picture and scales it to cover a field.
func small(file string, r io.ReadSeeker, width, height int) (image.Image, error) {
	r, err := still(r)
	if err != nil {
		return nil, noPicture(file, job.PictureDamaged, err.Error(), err)
	}
	head, _, err := image.DecodeConfig(r)
	switch {
	case errors.Is(err, image.ErrFormat):
		return nil, noPicture(file, job.PictureUnknown, "", err)
	case err != nil:
		return nil, noPicture(file, job.PictureDamaged, err.Error(), err)
	case head.Width <= 0 || head.Height <= 0:
		return nil, noPicture(file, job.PictureDamaged, "it has no pixels", nil)
	}
	if bytes := decodedBytes(head); head.Width > maxSide || head.Height > maxSide || bytes > maxDecoded {
		return nil, noPicture(file, job.PictureTooLarge, fmt.Sprintf("%d x %d pixels", head.Width, head.Height), nil)
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, noPicture(file, job.PictureUnreadable, err.Error(), err)
	}
	picture, _, err := image.Decode(r)
	if err != nil {
		return nil, noPicture(file, job.PictureDamaged, err.Error(), err)
	}
	scaled := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.ApproxBiLinear.Scale(scaled, scaled.Rect, picture, covering(picture.Bounds(), width, height), draw.Src, nil)
	return scaled, nil
}

// decodedBytes is an upper bound of what a picture takes in memory.
func decodedBytes(head image.Config) int64 {
	each := int64(4)
	switch head.ColorModel {
	case color.NRGBA64Model, color.RGBA64Model:
		each = 8
	}
	return int64(head.Width) * int64(head.Height) * each
}

// covering gives the middle part of a picture that has the shape of a field.
func covering(r image.Rectangle, width, height int) image.Rectangle {
	w, h := r.Dx(), r.Dy()
	if w*height > h*width {
		cut := max(h*width/height, 1)
		left := r.Min.X + (w-cut)/2
		return image.Rect(left, r.Min.Y, left+cut, r.Max.Y)
	}
	cut := max(w*height/width, 1)
	top := r.Min.Y + (h-cut)/2
	return image.Rect(r.Min.X, top, r.Max.X, top+cut)
}

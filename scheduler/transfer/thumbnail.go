package transfer

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/gif"  // what image.Decode can read
	_ "image/jpeg" // likewise
	_ "image/png"  // likewise
	"io"
	"os"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // likewise

	"reckoner/scheduler/job"
)

const (
	// maxDecoded bounds what one picture may take in memory.
	maxDecoded = 256 << 20 // bytes
	maxSide    = 1 << 15   // pixels
	maxThumb   = 2048      // pixels
)

// Thumbnail reads a picture (PNG, JPEG, GIF's first frame, WebP) and scales it
// down so that neither side is longer than longest pixels. A smaller picture
// keeps its size. A picture whose head promises more than may be decoded is
// job.ErrTooLarge, a file of another kind job.ErrUnsupported, one that breaks
// off or is wrong inside job.ErrDamaged.
func Thumbnail(path string, longest int) (*image.RGBA, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("thumbnail: %w", err)
	}
	defer func() { _ = f.Close() }()
	head, _, err := image.DecodeConfig(f)
	if errors.Is(err, image.ErrFormat) {
		return nil, job.Errorf(job.ErrUnsupported, job.Args{File: path, Detail: "not a picture that can be shown"}, err)
	}
	if err != nil {
		return nil, job.Errorf(job.ErrDamaged, job.Args{File: path}, err)
	}
	if head.Width <= 0 || head.Height <= 0 {
		return nil, job.Errorf(job.ErrDamaged, job.Args{File: path, Detail: "a picture without pixels"}, nil)
	}
	if bytes := decodedBytes(head); head.Width > maxSide || head.Height > maxSide || bytes > maxDecoded {
		return nil, job.Errorf(job.ErrTooLarge, job.Args{
			File: path, Bytes: bytes, Detail: fmt.Sprintf("%d x %d pixels", head.Width, head.Height),
		}, nil)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("thumbnail of %s: %w", path, err)
	}
	picture, _, err := image.Decode(f)
	if err != nil {
		return nil, job.Errorf(job.ErrDamaged, job.Args{File: path}, err)
	}
	w, h := fit(picture.Bounds().Dx(), picture.Bounds().Dy(), min(max(longest, 1), maxThumb))
	small := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.ApproxBiLinear.Scale(small, small.Bounds(), picture, picture.Bounds(), draw.Src, nil)
	return small, nil
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

// fit scales a size down to a longest side, never below one pixel.
func fit(w, h, longest int) (int, int) {
	if w <= longest && h <= longest {
		return w, h
	}
	if w >= h {
		return longest, max(1, h*longest/w)
	}
	return max(1, w*longest/h), longest
}

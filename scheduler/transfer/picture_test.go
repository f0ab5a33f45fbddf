package transfer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"reckoner/scheduler/job"
)

func pngOf(t testing.TB, w, h int) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.Set(x, y, color.NRGBA{R: 200, G: 40, B: 90, A: 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegOf(t testing.TB, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewRGBA(image.Rect(0, 0, w, h)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// bomb is a PNG whose head promises a picture of a given size.
func bomb(t testing.TB, w, h uint32) []byte {
	b := bytes.Clone(pngOf(t, 1, 1))
	binary.BigEndian.PutUint32(b[16:], w)
	binary.BigEndian.PutUint32(b[20:], h)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

// smallOf makes a small picture of a file with a content.
func smallOf(t *testing.T, content []byte, w, h int) (image.Image, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "picture")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return NewPictures("").Small(t.Context(), path, nil, w, h)
}

// reason gives why there is no picture.
func reason(err error) string {
	e, ok := errors.AsType[*job.Error](err)
	if !ok || e.Code != job.ErrNoPicture {
		return ""
	}
	return e.Args.Value
}

func TestASmallPictureFillsItsField(t *testing.T) {
	whole := pngOf(t, 640, 360)
	for name, c := range map[string]struct {
		content []byte
		w, h    int
		why     string
	}{
		"wide":                {whole, 64, 36, ""},
		"into a tall field":   {whole, 20, 60, ""},
		"tall":                {pngOf(t, 30, 300), 100, 10, ""},
		"a line":              {pngOf(t, 2000, 1), 100, 50, ""},
		"smaller than asked":  {pngOf(t, 20, 10), 64, 64, ""},
		"jpeg":                {jpegOf(t, 100, 100), 50, 50, ""},
		"cut off":             {whole[:len(whole)/2], 64, 64, job.PictureDamaged},
		"cut off in its head": {whole[:20], 64, 64, job.PictureDamaged},
		"a bomb":              {bomb(t, 30000, 30000), 64, 64, job.PictureTooLarge},
		"a huge line":         {bomb(t, 1<<30, 1), 64, 64, job.PictureTooLarge},
		"a text":              {[]byte("no picture"), 64, 64, job.PictureUnknown},
		"empty":               {nil, 64, 64, job.PictureUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := smallOf(t, c.content, c.w, c.h)
			if reason(err) != c.why || c.why == "" && err != nil {
				t.Fatalf("%v, want %q", err, c.why)
			}
			if err == nil && m.Bounds() != image.Rect(0, 0, c.w, c.h) {
				t.Errorf("%v, want %d x %d", m.Bounds(), c.w, c.h)
			}
		})
	}
}

func TestASmallPictureKeepsTheColours(t *testing.T) {
	m, err := smallOf(t, pngOf(t, 500, 500), 10, 10)
	if err != nil {
		t.Fatal(err)
	}
	if got := color.RGBAModel.Convert(m.At(5, 5)); got != (color.RGBA{R: 200, G: 40, B: 90, A: 255}) {
		t.Errorf("%v in the middle", got)
	}
}

func TestASmallPictureOfAnInputIsMadeOfItsContent(t *testing.T) {
	m, err := NewPictures("").Small(t.Context(), "", pngOf(t, 30, 30), 8, 8)
	if err != nil || m.Bounds() != image.Rect(0, 0, 8, 8) {
		t.Errorf("%v, %v", m, err)
	}
}

func TestOfAMovingWebPTheFirstFrameIsShown(t *testing.T) {
	for _, name := range []string{"moving.webp", "moving_lossless.webp"} {
		content, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		m, err := smallOf(t, content, 8, 8)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r, _, b, a := m.At(4, 4).RGBA(); r < a/2 || b > a/4 {
			t.Errorf("%s: %v in the middle, want red", name, m.At(4, 4))
		}
		if _, err := smallOf(t, content[:70], 8, 8); reason(err) != job.PictureDamaged {
			t.Errorf("%s cut off: %v", name, err)
		}
	}
}

func TestNoSuchPicture(t *testing.T) {
	_, err := NewPictures("").Small(t.Context(), filepath.Join(t.TempDir(), "none.png"), nil, 10, 10)
	if reason(err) != job.PictureGone || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func FuzzSmall(f *testing.F) {
	for _, name := range []string{"moving.webp", "moving_lossless.webp"} {
		content, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Add(pngOf(f, 8, 8))
	f.Add(jpegOf(f, 8, 8))
	f.Add(bomb(f, 30000, 30000))
	f.Fuzz(func(t *testing.T, content []byte) {
		if videoKind(content) != "" {
			return // ffmpeg's
		}
		m, err := NewPictures("").Small(t.Context(), "", append([]byte{}, content...), 8, 8)
		if err == nil && m.Bounds() != image.Rect(0, 0, 8, 8) || err != nil && reason(err) == "" {
			t.Fatalf("%v, %v", m, err)
		}
	})
}

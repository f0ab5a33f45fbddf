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

func TestThumbnail(t *testing.T) {
	whole := pngOf(t, 640, 360)
	for name, c := range map[string]struct {
		content []byte
		longest int
		w, h    int
		code    string
	}{
		"wide":                {whole, 64, 64, 36, ""},
		"tall":                {pngOf(t, 30, 300), 100, 10, 100, ""},
		"a line":              {pngOf(t, 2000, 1), 100, 100, 1, ""},
		"smaller than asked":  {pngOf(t, 20, 10), 64, 20, 10, ""},
		"jpeg":                {jpegOf(t, 100, 100), 50, 50, 50, ""},
		"no size asked":       {whole, 0, 1, 1, ""},
		"cut off":             {whole[:len(whole)/2], 64, 0, 0, job.ErrDamaged},
		"cut off in its head": {whole[:20], 64, 0, 0, job.ErrDamaged},
		"a bomb":              {bomb(t, 30000, 30000), 64, 0, 0, job.ErrTooLarge},
		"a huge line":         {bomb(t, 1<<30, 1), 64, 0, 0, job.ErrTooLarge},
		"a text":              {[]byte("no picture"), 64, 0, 0, job.ErrUnsupported},
		"empty":               {nil, 64, 0, 0, job.ErrUnsupported},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "picture")
			if err := os.WriteFile(path, c.content, 0o600); err != nil {
				t.Fatal(err)
			}
			m, err := Thumbnail(path, c.longest)
			if job.CodeOf(err) != c.code || c.code == "" && err != nil {
				t.Fatalf("%v, want code %q", err, c.code)
			}
			if err == nil && m.Bounds() != image.Rect(0, 0, c.w, c.h) {
				t.Errorf("%v, want %d x %d", m.Bounds(), c.w, c.h)
			}
		})
	}
}

func TestAThumbnailKeepsTheColours(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.png")
	if err := os.WriteFile(path, pngOf(t, 500, 500), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := Thumbnail(path, 10)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.RGBAAt(5, 5); got != (color.RGBA{R: 200, G: 40, B: 90, A: 255}) {
		t.Errorf("%v in the middle", got)
	}
}

func TestNoSuchPicture(t *testing.T) {
	if _, err := Thumbnail(filepath.Join(t.TempDir(), "none.png"), 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

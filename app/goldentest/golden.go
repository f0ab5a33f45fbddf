// Package goldentest compares pictures of the window with masters kept beside
// the tests. It allows what differs between processors: a few pixels, by a
// little.
//
// It is for tests only.
package goldentest

import (
	"flag"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

//nolint:gochecknoglobals // a flag of the test binary
var update = flag.Bool("update", false, "write the pictures as the new masters")

const (
	mostDiff  = 2     // a channel may differ by this much
	mostShare = 0.001 // and this share of the pixels by more
)

// Compare fails the test when got is not the picture testdata/NAME.png. The
// picture that was got is written to testdata/failed then.
func Compare(t *testing.T, name string, got image.Image) {
	t.Helper()
	master := filepath.Join("testdata", name+".png")
	if *update {
		write(t, master, got)
		return
	}
	want, err := read(master)
	if err != nil {
		write(t, filepath.Join("testdata", "failed", name+".png"), got)
		t.Fatalf("read the master: %v (run with -update to make it, then look at it)", err)
	}
	if got.Bounds().Size() != want.Bounds().Size() {
		write(t, filepath.Join("testdata", "failed", name+".png"), got)
		t.Fatalf("%s is %v, its master %v", name, got.Bounds().Size(), want.Bounds().Size())
	}
	size := got.Bounds().Size()
	if n := differing(got, want); float64(n) > mostShare*float64(size.X*size.Y) {
		write(t, filepath.Join("testdata", "failed", name+".png"), got)
		t.Errorf("%s: %d of %d pixels differ from the master", name, n, size.X*size.Y)
	}
}

// differing counts the pixels that differ by more than is allowed.
func differing(a, b image.Image) int {
	n, from, off := 0, a.Bounds(), b.Bounds().Min.Sub(a.Bounds().Min)
	for y := from.Min.Y; y < from.Max.Y; y++ {
		for x := from.Min.X; x < from.Max.X; x++ {
			r1, g1, b1, a1 := a.At(x, y).RGBA()
			r2, g2, b2, a2 := b.At(x+off.X, y+off.Y).RGBA()
			if far(r1, r2) || far(g1, g2) || far(b1, b2) || far(a1, a2) {
				n++
			}
		}
	}
	return n
}

func far(a, b uint32) bool {
	d := int(a>>8) - int(b>>8)
	return d > mostDiff || d < -mostDiff
}

func read(file string) (image.Image, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return png.Decode(f)
}

func write(t *testing.T, file string, img image.Image) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		t.Fatal(err)
	}
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
}

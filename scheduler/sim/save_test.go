package sim

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
	"testing/synctest"

	"golang.org/x/image/webp"
)

func testFrames() []*image.RGBA {
	a := art{aspect: 1.5, low: [3]float64{200, 120, 40}}
	return []*image.RGBA{a.frame(48, 0), a.frame(48, 0.5), a.frame(48, 0.9)}
}

var testMeta = []metadata{{"prompt", []byte(`{"1": {}}`)}, {"workflow", []byte(`{"nodes": []}`)}}

func TestPNGCarriesItsPrompt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, oneServer(nil), Options{})
		defer r.stop()
		r.submit("s", slow(1, 1, 1), `, "extra_data": {"extra_pnginfo": {"workflow": {"nodes": ["ä"]}}}`)
		r.wait(2)
		a := r.get("s", "/view?filename=t_00001_.png")
		if a.header.Get("Content-Disposition") != `filename="t_00001_.png"` || a.header.Get("Content-Type") != "image/png" {
			t.Errorf("headers %v", a.header)
		}
		if _, err := png.Decode(strings.NewReader(a.body)); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"tEXtprompt\x00{\"1\": {\"class_type\": \"EmptyImage\"", "tEXtworkflow\x00{\"nodes\": [\"\\u00e4\"]}",
		} {
			if at := strings.Index(a.body, want); at < 0 || at > strings.Index(a.body, "IDAT") {
				t.Errorf("%q is at %d, want it before the pixels", want, at)
			}
		}
	})
}

func TestPreviewsAreTemporary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, oneServer(nil), Options{})
		defer r.stop()
		id := r.submit("s", strings.Replace(slow(1, 1, 1), `"SaveImage"`, `"PreviewImage"`, 1), "")
		r.wait(2)
		_, record := r.ended("s", id)
		item := record.object("outputs").object("3").vals["images"].([]any)[0].(*object)
		if item.text("type") != "temp" || !strings.HasPrefix(item.text("filename"), "ComfyUI_temp_") {
			t.Fatalf("output %s", encode(item))
		}
		path := "/view?type=temp&filename=" + item.text("filename")
		if a := r.get("s", path); a.status != 200 {
			t.Errorf("before a restart: %d", a.status)
		}
		r.world.Server("s").Restart(0)
		if a := r.get("s", path); a.status != 404 {
			t.Errorf("after a restart: %d, want 404", a.status)
		}
	})
}

// The lossless WEBP of a frame must show the frame, to the precision of its
// sixteen levels.
func TestWEBPShowsItsFrames(t *testing.T) {
	frames := testFrames()
	file := encodeWEBP(frames, 0.25, testMeta)
	if n := binary.LittleEndian.Uint32(file[4:]); string(file[:4]) != "RIFF" || int(n) != len(file)-8 {
		t.Fatalf("RIFF says %d of %d bytes", n, len(file))
	}
	for _, want := range []string{
		"VP8X", "ANIM", "ANMF", "EXIF", "prompt:{\"1\": {}}\x00", "workflow:{\"nodes\": []}\x00",
	} {
		if !bytes.Contains(file, []byte(want)) {
			t.Errorf("%q is missing", want)
		}
	}
	for _, f := range frames {
		still := riff("RIFF", append([]byte("WEBP"), riff("VP8L", encodeVP8L(f))...))
		img, err := webp.Decode(bytes.NewReader(still))
		if err != nil {
			t.Fatal(err)
		}
		if img.Bounds() != f.Bounds() {
			t.Fatalf("size %v, want %v", img.Bounds(), f.Bounds())
		}
		for y := range f.Bounds().Dy() {
			for x := range f.Bounds().Dx() {
				got := color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)
				want := f.RGBAAt(x, y)
				if off(got.R, want.R) > 17 || off(got.G, want.G) > 17 || off(got.B, want.B) > 17 {
					t.Fatalf("pixel %d,%d is %v, want about %v", x, y, got, want)
				}
			}
		}
	}
}

func off(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }

func TestAPNGIsAPNGWithFrames(t *testing.T) {
	file, err := encodeAPNG(testFrames(), 0.25, testMeta)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(file)); err != nil {
		t.Fatal(err)
	}
	for want, n := range map[string]int{"acTL": 1, "fcTL": 3, "comfprompt\x00": 1, "comfworkflow\x00": 1} {
		if got := bytes.Count(file, []byte(want)); got != n {
			t.Errorf("%d of %q, want %d", got, want, n)
		}
	}
	if bytes.Count(file, []byte("fdAT")) < 2 {
		t.Error("the further frames are missing")
	}
}

// The MP4 is taken apart by its boxes: the sample table must lead to JPEG
// frames, and the texts must be where players look.
func TestMP4LeadsToItsFrames(t *testing.T) {
	frames := testFrames()
	file, err := encodeMP4(frames, 0.25, testMeta)
	if err != nil {
		t.Fatal(err)
	}
	at := binary.BigEndian.Uint32(find(t, file, "moov", "trak", "mdia", "minf", "stbl", "stco")[8:])
	sizes := find(t, file, "moov", "trak", "mdia", "minf", "stbl", "stsz")
	if n := binary.BigEndian.Uint32(sizes[8:]); int(n) != len(frames) {
		t.Fatalf("%d samples, want %d", n, len(frames))
	}
	for i := range frames {
		size := binary.BigEndian.Uint32(sizes[12+4*i:])
		img, err := jpeg.Decode(bytes.NewReader(file[at : at+size]))
		if err != nil {
			t.Fatalf("frame %d: %v", i, err)
		}
		if img.Bounds() != frames[i].Bounds() {
			t.Errorf("frame %d is %v", i, img.Bounds())
		}
		at += size
	}
	meta := find(t, file, "moov", "udta", "meta")
	if keys := find(t, meta[4:], "keys"); !bytes.Contains(keys, []byte("mdtaprompt")) {
		t.Errorf("keys %q", keys)
	}
	if texts := find(t, meta[4:], "ilst"); !bytes.Contains(texts, []byte(`{"nodes": []}`)) {
		t.Errorf("ilst %q", texts)
	}
}

// find follows a path of boxes and gives the content of the last.
func find(t *testing.T, b []byte, path ...string) []byte {
	t.Helper()
	for _, kind := range path {
		for {
			if len(b) < 8 {
				t.Fatalf("no box %s of %v", kind, path)
			}
			n := binary.BigEndian.Uint32(b)
			if string(b[4:8]) == kind {
				b = b[8:n]
				break
			}
			b = b[n:]
		}
	}
	return b
}

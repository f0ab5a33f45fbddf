package sim

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"math"
)

// encodePNG writes a PNG that carries its metadata in tEXt chunks before the
// pixels, as the server's SaveImage does.
func encodePNG(img image.Image, meta []metadata) ([]byte, error) {
	chunks, err := pngChunks(img)
	if err != nil {
		return nil, err
	}
	out := append([]byte(nil), pngMagic...)
	for _, c := range chunks {
		out = append(out, c.bytes()...)
		if c.kind != "IHDR" {
			continue
		}
		for _, m := range meta {
			out = append(out, chunk{"tEXt", keyed(m)}.bytes()...)
		}
	}
	return out, nil
}

// encodeAPNG writes an animated PNG as SaveAnimatedPNG does: its metadata is in
// chunks of type comf, after the first frame. each is a frame's seconds.
func encodeAPNG(frames []*image.RGBA, each float64, meta []metadata) ([]byte, error) {
	out := append([]byte(nil), pngMagic...)
	seq := uint32(0)
	for i, f := range frames {
		chunks, err := pngChunks(f)
		if err != nil {
			return nil, err
		}
		for _, c := range chunks {
			switch {
			case c.kind == "IHDR" && i == 0:
				out = append(out, c.bytes()...)
				out = append(out, chunk{"acTL", be(uint32(len(frames)), uint32(0))}.bytes()...)
			case c.kind == "IDAT" && i == 0:
				out = append(out, c.bytes()...)
			case c.kind == "IDAT":
				out = append(out, chunk{"fdAT", append(be(seq), c.data...)}.bytes()...)
				seq++
			}
			if c.kind == "IHDR" {
				b := f.Bounds()
				ctl := be(seq, uint32(b.Dx()), uint32(b.Dy()), uint32(0), uint32(0), uint16(math.Round(each*1000)), uint16(1000))
				out = append(out, chunk{"fcTL", append(ctl, 0, 0)}.bytes()...)
				seq++
			}
		}
		if i == 0 {
			for _, m := range meta {
				out = append(out, chunk{"comf", keyed(m)}.bytes()...)
			}
		}
	}
	return append(out, chunk{"IEND", nil}.bytes()...), nil
}

var pngMagic = []byte("\x89PNG\r\n\x1a\n")

type chunk struct {
	kind string
	data []byte
}

func (c chunk) bytes() []byte {
	b := append(be(uint32(len(c.data))), c.kind...)
	b = append(b, c.data...)
	return append(b, be(crc32.ChecksumIEEE(b[4:]))...)
}

func keyed(m metadata) []byte { return append(append([]byte(m.key), 0), m.text...) }

// pngChunks encodes a picture and takes the file apart.
func pngChunks(img image.Image) ([]chunk, error) {
	var buf bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := enc.Encode(&buf, img); err != nil {
		return nil, fmt.Errorf("encode a picture: %w", err)
	}
	var out []chunk
	for b := buf.Bytes()[len(pngMagic):]; len(b) >= 12; {
		n := binary.BigEndian.Uint32(b)
		out = append(out, chunk{string(b[4:8]), b[8 : 8+n]})
		b = b[12+n:]
	}
	return out, nil
}

// be writes numbers big-endian, as wide as their types.
func be(vs ...any) []byte {
	var b []byte
	for _, v := range vs {
		switch n := v.(type) {
		case uint8:
			b = append(b, n)
		case uint16:
			b = binary.BigEndian.AppendUint16(b, n)
		case uint32:
			b = binary.BigEndian.AppendUint32(b, n)
		}
	}
	return b
}

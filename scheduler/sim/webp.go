package sim

import (
	"encoding/binary"
	"image"
	"math"
	"slices"
)

// encodeWEBP writes an animated, lossless WEBP as SaveAnimatedWEBP does, with
// its metadata in an EXIF chunk: the prompt in tag 0x0110, further texts in tags
// downwards from 0x010f. each is a frame's seconds.
func encodeWEBP(frames []*image.RGBA, each float64, meta []metadata) []byte {
	w, h := frames[0].Bounds().Dx(), frames[0].Bounds().Dy()
	const hasAnimation, hasEXIF = 1 << 1, 1 << 3
	body := riff("VP8X", append(append([]byte{hasAnimation | hasEXIF, 0, 0, 0}, le24(w-1)...), le24(h-1)...))
	body = append(body, riff("ANIM", []byte{0, 0, 0, 0, 0, 0})...)
	for _, f := range frames {
		head := append(make([]byte, 6), le24(w-1)...)
		head = append(head, le24(h-1)...)
		head = append(head, le24(int(math.Round(each*1000)))...)
		head = append(head, 0)
		body = append(body, riff("ANMF", append(head, riff("VP8L", encodeVP8L(f))...))...)
	}
	body = append(body, riff("EXIF", exif(meta))...)
	return riff("RIFF", append([]byte("WEBP"), body...))
}

func riff(kind string, data []byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(data)))
	b = append(b, data...)
	if len(data)%2 == 1 {
		b = append(b, 0)
	}
	return b
}

func le24(n int) []byte { return []byte{byte(n), byte(n >> 8), byte(n >> 16)} }

// exif is a TIFF directory of texts, "key:text" each.
func exif(meta []metadata) []byte {
	le := binary.LittleEndian
	tiff := []byte{'I', 'I', 42, 0, 8, 0, 0, 0}
	tiff = le.AppendUint16(tiff, uint16(len(meta)))
	at := len(tiff) + 12*len(meta) + 4
	var texts []byte
	for i, m := range slices.Backward(meta) { // a directory is in the order of its tags
		text := append([]byte(m.key+":"), m.text...)
		text = append(text, 0)
		for len(text) < 5 {
			text = append(text, 0)
		}
		tiff = le.AppendUint16(tiff, uint16(0x0110-i))
		tiff = le.AppendUint16(tiff, 2)
		tiff = le.AppendUint32(tiff, uint32(len(text)))
		tiff = le.AppendUint32(tiff, uint32(at+len(texts)))
		texts = append(texts, text...)
	}
	return append(le.AppendUint32(tiff, 0), texts...)
}

// encodeVP8L writes a picture with sixteen levels a channel, evened out by
// ordered dithering, as literals with four-bit codes: no transforms, no search.
func encodeVP8L(img *image.RGBA) []byte {
	var b bits
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	b.put(0x2f, 8)
	b.put(uint32(w-1), 14)
	b.put(uint32(h-1), 14)
	b.put(0, 1+3) // no alpha, version 0
	b.put(0, 1)   // no transforms
	b.put(0, 1)   // no colour cache
	b.put(0, 1)   // one set of codes
	b.levels(256 + 24)
	b.levels(256)
	b.levels(256)
	b.single(255) // alpha
	b.single(0)   // distances are not used
	for y := range h {
		for x := range w {
			p := img.Pix[img.PixOffset(x, y):]
			for _, c := range []uint8{p[1], p[0], p[2]} { // green, red, blue
				b.put(reversed4[level(c, x, y)], 4)
			}
		}
	}
	return b.done()
}

var bayer = [4][4]int{{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}}

// level turns a channel into one of sixteen levels, 17 apart.
func level(c uint8, x, y int) int { return min((int(c)*16+bayer[y&3][x&3]*17)/(16*17), 15) }

var reversed4 = [16]uint32{0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15}

// bits writes numbers least significant bit first.
type bits struct {
	out  []byte
	rest uint64 // not written yet
	n    uint   // bits in rest
}

func (b *bits) put(v uint32, n uint) {
	b.rest |= uint64(v) << b.n
	for b.n += n; b.n >= 8; b.n -= 8 {
		b.out = append(b.out, byte(b.rest))
		b.rest >>= 8
	}
}

// done fills up the last byte.
func (b *bits) done() []byte {
	if b.n > 0 {
		b.put(0, 8-b.n)
	}
	return b.out
}

// levels writes a prefix code in which the sixteen levels (0, 17, ... 255) have
// four bits each and nothing else has any. The lengths themselves are written
// with a code of two words: 0 for "no code", 1 for "four bits".
func (b *bits) levels(alphabet int) {
	// In the order 17 18 0 1 2 3 4, only 0 and 4 get a one-bit code.
	b.put(0, 1)
	b.put(7-4, 4)
	for _, length := range []uint32{0, 0, 1, 0, 0, 0, 1} {
		b.put(length, 3)
	}
	b.put(0, 1) // lengths for the whole alphabet follow
	for i := range alphabet {
		word := uint32(0)
		if i < 256 && i%17 == 0 {
			word = 1
		}
		b.put(word, 1)
	}
}

// single writes a prefix code of one symbol, which then takes no bits.
func (b *bits) single(symbol uint32) {
	b.put(1, 1) // simple
	b.put(0, 1) // one symbol
	b.put(1, 1) // of eight bits
	b.put(symbol, 8)
}

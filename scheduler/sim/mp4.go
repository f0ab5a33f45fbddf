package sim

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"math"
)

// encodeMP4 writes an MP4 file of JPEG frames, which players know as Motion
// JPEG, with its metadata where SaveVideo puts it: moov/udta/meta, keys and
// ilst. each is a frame's seconds.
func encodeMP4(frames []*image.RGBA, each float64, meta []metadata) ([]byte, error) {
	var data []byte
	var sizes []uint32
	for _, f := range frames {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, f, &jpeg.Options{Quality: 85}); err != nil {
			return nil, fmt.Errorf("encode a frame: %w", err)
		}
		sizes = append(sizes, uint32(b.Len()))
		data = append(data, b.Bytes()...)
	}
	ftyp := box("ftyp", []byte("isom\x00\x00\x02\x00isomiso2mp41"))
	mdat := box("mdat", data)
	m := movie{
		w: uint16(frames[0].Bounds().Dx()), h: uint16(frames[0].Bounds().Dy()),
		each: uint32(math.Round(each * timescale)), sizes: sizes, at: uint32(len(ftyp) + 8),
	}
	moov := box("moov", m.header(), m.track(), box("udta", metaBox(meta)))
	return append(append(ftyp, mdat...), moov...), nil
}

const timescale = 1000

type movie struct {
	w, h  uint16
	each  uint32 // in units of the timescale
	sizes []uint32
	at    uint32 // of the first frame in the file
}

func box(kind string, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	b := append(be(uint32(len(body)+8)), kind...)
	return append(b, body...)
}

func zeros(n int) []byte { return make([]byte, n) }

// unity is the matrix that moves nothing.
var unity = be(uint32(1<<16), uint32(0), uint32(0), uint32(0), uint32(1<<16), uint32(0), uint32(0), uint32(0),
	uint32(1<<30))

func (m movie) duration() uint32 { return m.each * uint32(len(m.sizes)) }

func (m movie) header() []byte {
	return box("mvhd", zeros(12), be(uint32(timescale), m.duration(), uint32(1<<16), uint16(1<<8)), zeros(10), unity,
		zeros(24), be(uint32(2)))
}

func (m movie) track() []byte {
	tkhd := box("tkhd", be(uint32(3)), zeros(8), be(uint32(1), uint32(0), m.duration()), zeros(16), unity,
		be(uint32(m.w)<<16, uint32(m.h)<<16))
	mdhd := box("mdhd", zeros(12), be(uint32(timescale), m.duration(), uint16(0x55c4), uint16(0)))
	hdlr := box("hdlr", zeros(8), []byte("vide"), zeros(12), []byte("frames\x00"))
	dinf := box("dinf", box("dref", zeros(4), be(uint32(1)), box("url ", be(uint32(1)))))
	vmhd := box("vmhd", be(uint32(1)), zeros(8))
	return box("trak", tkhd, box("mdia", mdhd, hdlr, box("minf", vmhd, dinf, m.samples())))
}

func (m movie) samples() []byte {
	n := uint32(len(m.sizes))
	entry := box("jpeg", zeros(6), be(uint16(1)), zeros(16), be(m.w, m.h, uint32(72<<16), uint32(72<<16)), zeros(4),
		be(uint16(1)), zeros(32), be(uint16(24), uint16(0xffff)))
	stsz := be(uint32(0), uint32(0), n)
	for _, s := range m.sizes {
		stsz = append(stsz, be(s)...)
	}
	return box("stbl",
		box("stsd", zeros(4), be(uint32(1)), entry),
		box("stts", zeros(4), be(uint32(1), n, m.each)),
		box("stsc", zeros(4), be(uint32(1), uint32(1), n, uint32(1))),
		box("stsz", stsz),
		box("stco", zeros(4), be(uint32(1), m.at)))
}

// metaBox lists the texts by key.
func metaBox(meta []metadata) []byte {
	keys := be(uint32(0), uint32(len(meta)))
	var items []byte
	for i, m := range meta {
		keys = append(keys, box("mdta", []byte(m.key))...)
		const isText = 1
		item := box("data", be(uint32(isText), uint32(0)), m.text)
		items = append(items, be(uint32(len(item)+8), uint32(i+1))...)
		items = append(items, item...)
	}
	hdlr := box("hdlr", zeros(8), []byte("mdta"), zeros(13))
	return box("meta", zeros(4), hdlr, box("keys", keys), box("ilst", items))
}

package transfer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// maxFrame is the longest first frame of a moving picture that is read.
const maxFrame = 64 << 20 // bytes

var errCutWebP = errors.New("the moving picture ends before its first frame does")

// still gives what can be decoded of a picture: the picture itself, or of a
// moving WebP its first frame as a picture of its own, since the decoder knows
// still ones only (WebP Container Specification, "ANMF").
func still(r io.ReadSeeker) (io.ReadSeeker, error) {
	var head [21]byte
	n, _ := io.ReadFull(r, head[:]) // too short is for the decoder to say
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	const moving = 2 // a flag of the extended header
	if n < len(head) || string(head[:4]) != "RIFF" || string(head[8:16]) != "WEBPVP8X" || head[20]&moving == 0 {
		return r, nil
	}
	if _, err := r.Seek(12, io.SeekStart); err != nil {
		return nil, err
	}
	for {
		var chunk [8]byte
		if _, err := io.ReadFull(r, chunk[:]); err != nil {
			return nil, errCutWebP
		}
		size := int64(binary.LittleEndian.Uint32(chunk[4:]))
		if string(chunk[:4]) == "ANMF" {
			return frameOf(r, size)
		}
		if _, err := r.Seek(size+size%2, io.SeekCurrent); err != nil {
			return nil, err
		}
	}
}

// frameOf makes a picture of the frame that follows.
func frameOf(r io.Reader, size int64) (io.ReadSeeker, error) {
	const place = 16 // bytes about where the frame goes, of them 3 and 3 its size
	if size < place || size > maxFrame {
		return nil, errCutWebP
	}
	data, err := io.ReadAll(io.LimitReader(r, size))
	if err != nil || int64(len(data)) < size {
		return nil, errCutWebP
	}
	var out bytes.Buffer
	out.WriteString("RIFF\x00\x00\x00\x00WEBP")
	if bytes.HasPrefix(data[place:], []byte("ALPH")) {
		out.WriteString("VP8X\x0a\x00\x00\x00\x10\x00\x00\x00") // with transparency
		out.Write(data[6:12])
	}
	out.Write(data[place:])
	whole := out.Bytes()
	binary.LittleEndian.PutUint32(whole[4:], uint32(len(whole)-8)) //nolint:gosec // within maxFrame
	return bytes.NewReader(whole), nil
}

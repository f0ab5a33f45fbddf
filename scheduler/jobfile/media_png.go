package jobfile

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"io"
	"strings"
)

// readPNG reads the text chunks of a PNG, before and after its pixels, and the
// chunks "comf" of ComfyUI's animated ones (comfyui-protocol, 5.5; PNG, second
// edition, 11.3.4).
func readPNG(s *section) carried {
	const signature, frame = 8, 12 // a chunk is length, type, data, CRC
	var c carried
	for at := int64(signature); ; {
		head, ok := s.at(at, 8)
		if !ok {
			c.cut = true
			return c
		}
		size := int64(binary.BigEndian.Uint32(head))
		kind := string(head[4:])
		if kind == "IEND" {
			return c
		}
		whole := size <= s.size-at-frame
		switch kind {
		case "tEXt", "zTXt", "iTXt", "comf":
			if !whole {
				c.begun = c.begun || startsWorkflow(s.upTo(at+8, 64))
			} else if data, ok := s.text(at+8, size+4); ok {
				c.addChunk(kind, head[4:], data)
			}
		}
		if !whole {
			c.cut = true
			return c
		}
		at += size + frame
	}
}

func startsWorkflow(chunk []byte) bool {
	key, _, _ := bytes.Cut(chunk, []byte{0})
	lower := strings.ToLower(string(key))
	return lower == "prompt" || lower == "workflow"
}

// addChunk takes a text chunk: its data with the checksum behind.
func (c *carried) addChunk(kind string, name, data []byte) {
	body, sum := data[:len(data)-4], binary.BigEndian.Uint32(data[len(data)-4:])
	key, rest, ok := bytes.Cut(body, []byte{0})
	if !ok {
		return
	}
	before := len(c.prompt) + len(c.workflow)
	switch kind {
	case "tEXt", "comf":
		c.add(string(key), fromLatin1(rest))
	case "zTXt":
		if len(rest) > 1 && rest[0] == 0 {
			c.add(string(key), fromLatin1(inflate(rest[1:])))
		}
	case "iTXt":
		c.addInternational(string(key), rest)
	}
	if len(c.prompt)+len(c.workflow) != before && crc32.Update(crc32.ChecksumIEEE(name), crc32.IEEETable, body) != sum {
		c.torn = true
	}
}

// addInternational takes an iTXt chunk behind its keyword: flag, method,
// language, keyword in that language, text in UTF-8.
func (c *carried) addInternational(key string, rest []byte) {
	if len(rest) < 2 {
		return
	}
	packed := rest[0] == 1
	_, rest, _ = bytes.Cut(rest[2:], []byte{0})
	_, rest, ok := bytes.Cut(rest, []byte{0})
	if !ok {
		return
	}
	if packed {
		rest = inflate(rest)
	}
	c.add(key, rest)
}

// inflate unpacks zlib data, or gives nil when it is damaged or would be larger
// than any text is.
func inflate(data []byte) []byte {
	r, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	out, err := io.ReadAll(io.LimitReader(r, maxMediaText+1))
	if err != nil || len(out) > maxMediaText {
		return nil
	}
	return out
}

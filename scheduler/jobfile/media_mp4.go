package jobfile

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
)

// readMP4 reads the metadata of an MP4 or QuickTime file: the boxes moov/udta/
// meta and moov/meta with keys and ilst, and the plain texts in moov/udta
// (ISO/IEC 14496-12; QuickTime File Format, Metadata). The samples in between
// are stepped over.
func readMP4(s *section) carried {
	w := mp4{s: s}
	w.walk(0, s.size, "", 0)
	return w.carried
}

// mp4 walks the boxes of a file.
type mp4 struct {
	s *section
	carried
	keys []string // of the metadata that is being read; its items count from 1
}

// maxBoxDepth bounds the nesting: moov, udta, meta, ilst, item, data.
const maxBoxDepth = 8

func (w *mp4) walk(at, end int64, parent string, depth int) {
	for at < end {
		name, body, next, ok := w.box(at, end)
		if !ok {
			w.cut = w.cut || depth == 0
			return
		}
		if depth < maxBoxDepth {
			w.enter(parent, name, body, next, depth+1)
		}
		at = next
	}
}

// box reads a box's head: its name, where its body begins and where it ends.
func (w *mp4) box(at, end int64) (name string, body, next int64, ok bool) {
	head, ok := w.s.at(at, 8)
	if !ok {
		return "", 0, 0, false
	}
	size, headSize := int64(binary.BigEndian.Uint32(head)), int64(8)
	switch size {
	case 0: // to the end
		size = end - at
	case 1:
		large, ok := w.s.at(at+8, 8)
		if !ok {
			return "", 0, 0, false
		}
		size, headSize = int64(min(binary.BigEndian.Uint64(large), 1<<62)), 16
	}
	if size < headSize || size > end-at {
		return "", 0, 0, false
	}
	return string(head[4:]), at + headSize, at + size, true
}

func (w *mp4) enter(parent, name string, body, end int64, depth int) {
	switch {
	case parent == "" && name == "moov", parent == "moov" && name == "udta":
		w.walk(body, end, name, depth)
	case name == "meta" && (parent == "moov" || parent == "udta"):
		// ISO files put a version before the boxes, QuickTime does not.
		if head, ok := w.s.at(body, 8); ok && string(head[4:]) != "hdlr" {
			body += 4
		}
		w.keys = nil
		w.walk(body, end, name, depth)
	case parent == "meta" && name == "keys":
		w.readKeys(body, end)
	case parent == "meta" && name == "ilst":
		w.walk(body, end, name, depth)
	case parent == "ilst":
		w.readItem(name, body, end)
	case parent == "udta" && name[0] == 0xa9:
		w.readQuickTimeText(name, body, end)
	}
}

// readKeys reads the names of the items: a count, then size, namespace, name.
func (w *mp4) readKeys(body, end int64) {
	data, ok := w.s.text(body, end-body)
	if !ok || len(data) < 8 {
		return
	}
	for data = data[8:]; len(data) >= 8; {
		size := int64(binary.BigEndian.Uint32(data))
		if size < 8 || size > int64(len(data)) {
			return
		}
		w.keys = append(w.keys, string(data[8:size]))
		data = data[size:]
	}
}

// readItem reads an item of ilst: named by its number in keys, by four letters,
// or, under "----", by boxes of its own.
func (w *mp4) readItem(name string, body, end int64) {
	number := int64(binary.BigEndian.Uint32([]byte(name)))
	if number >= 1 && number <= int64(len(w.keys)) {
		name = w.keys[number-1]
	}
	for at := body; at < end; {
		part, from, next, ok := w.box(at, end)
		if !ok {
			return
		}
		at = next
		data, ok := w.s.text(from, next-from)
		switch {
		case !ok:
		case part == "name" && len(data) > 4:
			name = string(data[4:])
		case part == "data" && len(data) > 8:
			w.add(name, dataText(binary.BigEndian.Uint32(data), data[8:]))
		}
	}
}

// dataText gives the text of a data box by its well-known type: 1 is UTF-8, 2
// UTF-16.
func dataText(kind uint32, data []byte) []byte {
	if kind&0xff != 2 {
		return data
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = binary.BigEndian.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

// readQuickTimeText reads a user data text of QuickTime: size, language, text.
func (w *mp4) readQuickTimeText(name string, body, end int64) {
	data, ok := w.s.text(body, end-body)
	if !ok || len(data) < 4 {
		return
	}
	size := min(int(binary.BigEndian.Uint16(data)), len(data)-4)
	if bytes.HasPrefix(data[4:], []byte("data")) {
		return // an ilst item in the wrong place
	}
	w.add(name, data[4:4+size])
}

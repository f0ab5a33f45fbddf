package jobfile

import (
	"math"
	"math/bits"
)

// readMatroska reads the tags of a WEBM or MKV file (RFC 9559, 5.1.8). Tags may
// stand before the clusters or after them; clusters are stepped over.
func readMatroska(s *section) carried {
	m := matroska{s: s}
	m.walk(0, s.size, 0)
	return m.carried
}

type matroska struct {
	s *section
	carried
	name  string // of the SimpleTag that is being read
	value []byte
}

// The elements on the way to a tag. An identifier holds its own length mark.
const (
	ebmlHeader  = 0x1a45dfa3
	mkvSegment  = 0x18538067
	mkvCluster  = 0x1f43b675
	mkvTags     = 0x1254c367
	mkvTag      = 0x7373
	mkvSimple   = 0x67c8
	mkvTagName  = 0x45a3
	mkvTagText  = 0x4487
	mkvTagBytes = 0x4485
)

// unknownSize marks an element whose end was not known when it was written, as
// in streams: it ends with what contains it.
const unknownSize = -1

const maxElementDepth = 8 // segment, tags, tag, simple tags in each other

func (m *matroska) walk(at, end int64, depth int) {
	for at < end {
		id, body, size, ok := m.element(at)
		if !ok {
			m.cut = m.cut || depth < 2
			return
		}
		next := body + size
		switch {
		case size == unknownSize && (id == mkvSegment || id == mkvCluster):
			// What is inside has known sizes; it is walked as if it stood beside.
			at = body
			continue
		case size == unknownSize:
			return
		case size > end-body:
			m.cut = true
			next = end
		}
		m.enter(id, body, next, depth)
		at = next
	}
}

func (m *matroska) enter(id uint64, body, end int64, depth int) {
	if depth >= maxElementDepth {
		return
	}
	switch id {
	case mkvSegment, mkvTags, mkvTag:
		m.walk(body, end, depth+1)
	case mkvSimple:
		m.name, m.value = "", nil
		m.walk(body, end, depth+2)
		if m.name != "" {
			m.add(m.name, m.value)
		}
		m.name, m.value = "", nil
	case mkvTagName:
		data, _ := m.s.text(body, end-body)
		m.name = string(data)
	case mkvTagText, mkvTagBytes:
		m.value, _ = m.s.text(body, end-body)
	}
}

// element reads an element's head: its identifier, where its body begins, and
// the body's size.
func (m *matroska) element(at int64) (id uint64, body, size int64, ok bool) {
	head := m.s.upTo(at, 12)
	id, idLen := ebmlNumber(head, false)
	if idLen == 0 || idLen > 4 {
		return 0, 0, 0, false
	}
	value, sizeLen := ebmlNumber(head[idLen:], true)
	if sizeLen == 0 {
		return 0, 0, 0, false
	}
	body = at + int64(idLen+sizeLen)
	if value == 1<<(7*sizeLen)-1 {
		return id, body, unknownSize, true
	}
	return id, body, int64(min(value, math.MaxInt64)), true // 56 bits at most
}

// ebmlNumber reads a number whose first byte tells its length by its leading
// zeros (RFC 8794, 4); the mark is taken off when asked. A length of 0 says that
// there is none.
func ebmlNumber(data []byte, unmark bool) (value uint64, length int) {
	if len(data) == 0 || data[0] == 0 {
		return 0, 0
	}
	length = bits.LeadingZeros8(data[0]) + 1
	if length > len(data) {
		return 0, 0
	}
	value = uint64(data[0])
	if unmark {
		value &= 1<<(8-length) - 1
	}
	for _, b := range data[1:length] {
		value = value<<8 | uint64(b)
	}
	return value, length
}

package jobfile

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// readFLAC reads the Vorbis comments of a FLAC file that begins at an offset
// (RFC 9639, 8.6).
func readFLAC(s *section, at int64) carried {
	const comments = 4
	var c carried
	for at += int64(len("fLaC")); ; {
		head, ok := s.at(at, 4)
		if !ok {
			c.cut = true
			return c
		}
		size := int64(head[1])<<16 | int64(head[2])<<8 | int64(head[3])
		if head[0]&0x7f == comments {
			data, ok := s.text(at+4, size)
			if !ok {
				c.cut = true
				return c
			}
			c.addVorbis(data)
		}
		if head[0]&0x80 != 0 { // the last block of metadata
			return c
		}
		at += 4 + size
	}
}

// addVorbis takes a block of Vorbis comments: the maker's name, a count, and
// texts of NAME=value, each with its length before it.
func (c *carried) addVorbis(data []byte) {
	take := func() ([]byte, bool) {
		if len(data) < 4 {
			return nil, false
		}
		size := int64(binary.LittleEndian.Uint32(data))
		if size > int64(len(data)-4) {
			return nil, false
		}
		field := data[4 : 4+size]
		data = data[4+size:]
		return field, true
	}
	if _, ok := take(); !ok || len(data) < 4 {
		return
	}
	for data = data[4:]; ; {
		field, ok := take()
		if !ok {
			return
		}
		if name, value, ok := bytes.Cut(field, []byte("=")); ok {
			c.add(string(name), value)
		}
	}
}

// readMP3 reads the user texts of an ID3v2 tag at the head of a file (id3.org,
// id3v2.2, 2.3 and 2.4). A FLAC file may lie behind one.
func readMP3(s *section) carried {
	head, ok := s.at(0, 10)
	if !ok || string(head[:3]) != "ID3" {
		return carried{}
	}
	size := syncsafe(head[6:])
	if size > s.size-10 {
		return carried{cut: true}
	}
	if mark, ok := s.at(10+size, 4); ok && string(mark) == "fLaC" {
		return readFLAC(s, 10+size)
	}
	var c carried
	data, ok := s.text(10, size)
	if !ok {
		return c
	}
	version, flags := head[3], head[5]
	if flags&0x80 != 0 && version < 4 {
		data = resync(data)
	}
	if flags&0x40 != 0 && version > 2 {
		data = pastExtendedHeader(data, version)
	}
	c.addID3(data, version)
	return c
}

// addID3 walks the frames of a tag.
func (c *carried) addID3(data []byte, version byte) {
	nameLen, headLen := 4, 10
	if version == 2 {
		nameLen, headLen = 3, 6
	}
	for len(data) > headLen && data[0] != 0 {
		name := string(data[:nameLen])
		var size int64
		var flags byte
		switch version {
		case 2:
			size = int64(data[3])<<16 | int64(data[4])<<8 | int64(data[5])
		case 3:
			size, flags = int64(binary.BigEndian.Uint32(data[4:])), data[9]
		default:
			size, flags = syncsafe(data[4:]), data[9]
		}
		if size > int64(len(data)-headLen) {
			c.cut = true
			return
		}
		body := data[headLen : int64(headLen)+size]
		data = data[int64(headLen)+size:]
		if name == "TXXX" || name == "TXX" {
			c.addUserText(unpackFrame(body, version, flags))
		}
	}
}

// unpackFrame undoes what a frame's flags say was done to it.
func unpackFrame(body []byte, version, flags byte) []byte {
	packed := version == 3 && flags&0x80 != 0 || version == 4 && flags&0x08 != 0
	if version == 3 && flags&0x80 != 0 || version == 4 && flags&0x01 != 0 { // its size unpacked
		body = body[min(4, len(body)):]
	}
	if version == 4 && flags&0x02 != 0 {
		body = resync(body)
	}
	if !packed {
		return body
	}
	return inflate(body)
}

// addUserText takes a TXXX frame: encoding, description, value.
func (c *carried) addUserText(body []byte) {
	if len(body) < 2 {
		return
	}
	var name, value string
	switch body[0] {
	case 1, 2: // UTF-16, with its mark or big endian
		text := strings.ReplaceAll(string(fromID3UTF16(body[1:], body[0] == 1)), "\ufeff", "")
		name, value, _ = strings.Cut(text, "\x00")
	default:
		text := body[1:]
		if body[0] == 0 {
			text = fromLatin1(text)
		}
		n, v, _ := bytes.Cut(text, []byte{0})
		name, value = string(n), string(v)
	}
	c.add(name, []byte(value))
}

func fromID3UTF16(data []byte, marked bool) []byte {
	if marked && bytes.HasPrefix(data, []byte("\xff\xfe")) {
		return fromUTF16(data, binary.LittleEndian)
	}
	return fromUTF16(data, binary.BigEndian)
}

// syncsafe reads a size of four times seven bits.
func syncsafe(b []byte) int64 {
	return int64(b[0]&0x7f)<<21 | int64(b[1]&0x7f)<<14 | int64(b[2]&0x7f)<<7 | int64(b[3]&0x7f)
}

// resync takes out the zero bytes that were put in so that nothing looks like
// the beginning of sound.
func resync(data []byte) []byte {
	return bytes.ReplaceAll(data, []byte{0xff, 0}, []byte{0xff})
}

func pastExtendedHeader(data []byte, version byte) []byte {
	if len(data) < 4 {
		return nil
	}
	size := syncsafe(data) // 2.4: itself included
	if version == 3 {
		size = int64(binary.BigEndian.Uint32(data)) + 4
	}
	return data[min(size, int64(len(data))):]
}

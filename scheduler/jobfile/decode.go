package jobfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"reckoner/scheduler/job"
)

// decodeText gives a file's text as UTF-8 without a byte order mark. UTF-16,
// which Windows editors write, is understood with and without its mark.
func decodeText(data []byte) ([]byte, *job.Error) {
	var text []byte
	wasUTF16 := true
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		text = fromUTF16(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		text = fromUTF16(data[2:], binary.BigEndian)
	case len(data) > 3 && data[0] != 0 && data[1] == 0:
		text = fromUTF16(data, binary.LittleEndian)
	case len(data) > 3 && data[0] == 0 && data[1] != 0:
		text = fromUTF16(data, binary.BigEndian)
	default:
		text, wasUTF16 = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), false
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, job.Errorf(job.ErrEmptyFile, job.Args{}, nil)
	}
	if wasUTF16 || utf8.Valid(text) {
		return text, nil
	}
	return nil, refuseBytes(text)
}

func fromUTF16(data []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

// refuseBytes tells a text that ends inside a character from one in another
// encoding.
func refuseBytes(text []byte) *job.Error {
	at := 0
	for at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	line := lineOf(text, at)
	if !utf8.FullRune(text[at:]) {
		return job.Errorf(job.ErrTruncated,
			job.Args{Count: line, Detail: fmt.Sprintf("line %d: ends inside a character", line)}, nil)
	}
	return job.Errorf(job.ErrNotJSON, job.Args{
		Count: line, Value: notUTF8, Detail: fmt.Sprintf("line %d: byte 0x%02x is not UTF-8", line, text[at]),
	}, nil)
}

// notUTF8 is the Value of an ErrNotJSON for a text in another encoding.
const notUTF8 = "not_utf8"

// lineOf gives the line, from 1, that holds the byte at an offset.
func lineOf(text []byte, offset int) int {
	return 1 + bytes.Count(text[:min(max(offset, 0), len(text))], []byte("\n"))
}

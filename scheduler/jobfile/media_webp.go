package jobfile

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
)

// readWEBP reads the EXIF chunk of a WEBP: ComfyUI keeps "prompt:{…}" in the
// field Model, "workflow:{…}" in Make, and more in the fields below
// (comfyui-protocol, 5.5; RIFF container of WebP).
func readWEBP(s *section) carried {
	var c carried
	for at := int64(12); ; {
		head, ok := s.at(at, 8)
		if !ok {
			c.cut = at < s.size
			return c
		}
		size := int64(binary.LittleEndian.Uint32(head[4:]))
		if !isFourCC(head[:4]) {
			// Some writers leave out the byte that makes odd chunks even.
			if head, ok = s.at(at-1, 8); !ok || !isFourCC(head[:4]) {
				return c
			}
			at--
			size = int64(binary.LittleEndian.Uint32(head[4:]))
		}
		if size > s.size-at-8 {
			c.begun = c.begun || bytes.Contains(s.upTo(at+8, lookAt), []byte(`"class_type"`))
			c.cut = true
			return c
		}
		if string(head[:4]) == "EXIF" {
			if data, ok := s.text(at+8, size); ok {
				c.addEXIF(data)
			}
		}
		at += 8 + size + size&1
	}
}

func isFourCC(b []byte) bool {
	for _, ch := range b {
		if ch < ' ' || ch > '~' {
			return false
		}
	}
	return true
}

// exifMark stands before the TIFF part in some files; the standard of WEBP does
// not have it. Offsets then count from after it, but not in all writers.
const exifMark = "Exif\x00\x00"

func (c *carried) addEXIF(data []byte) {
	tiff := bytes.TrimPrefix(data, []byte(exifMark))
	for _, value := range tiffTexts(tiff) {
		c.addPair(value)
	}
	if c.prompt == nil && c.workflow == nil {
		c.searchPairs(data)
	}
}

// maxSearches bounds how often a name may stand before something else.
const maxSearches = 8

// searchPairs finds the texts where the offsets that lead to them are wrong: a
// name with a JSON value behind it, which must be whole.
func (c *carried) searchPairs(data []byte) {
	for _, name := range [...]string{"prompt", "workflow"} {
		from := data
		for range maxSearches {
			_, value, ok := bytes.Cut(from, []byte(name+":"))
			if !ok {
				break
			}
			from = value
			if end := valueEnd(value, 0); len(value) > 0 && (value[0] == '{' || value[0] == '[') {
				if doc, _, deep := withoutNaN(value[:end]); !deep && json.Valid(doc) {
					c.add(name, value[:end])
					break
				}
			}
		}
	}
}

// tiffTexts gives the ASCII fields of a TIFF block's first directory.
func tiffTexts(tiff []byte) [][]byte {
	const header, field, ascii = 8, 12, 2
	if len(tiff) < header {
		return nil
	}
	var order binary.ByteOrder = binary.LittleEndian
	if tiff[0] == 'M' {
		order = binary.BigEndian
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return nil
	}
	count := int64(order.Uint16(tiff[at:]))
	var texts [][]byte
	for i := range count {
		entry := at + 2 + i*field
		if entry+field > int64(len(tiff)) {
			break
		}
		if order.Uint16(tiff[entry+2:]) != ascii {
			continue
		}
		size := int64(order.Uint32(tiff[entry+4:]))
		from := int64(order.Uint32(tiff[entry+8:]))
		if size <= 4 || from > int64(len(tiff)) || size > int64(len(tiff))-from {
			continue
		}
		value, _, _ := bytes.Cut(tiff[from:from+size], []byte{0})
		texts = append(texts, value)
	}
	return texts
}

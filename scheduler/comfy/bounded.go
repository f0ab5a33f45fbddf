package comfy

import (
	"errors"
	"io"
	"slices"
)

// Answers are read in pieces that grow from the first to the last of these
// sizes, in bytes.
const (
	firstPiece = 32 << 10
	lastPiece  = 4 << 20
)

// readBounded reads to the end, or tells that there is more than limit. Memory
// stays near what was read: a slice that grows would hold an answer several
// times before it is known to be too large.
func readBounded(r io.Reader, limit int64) (body []byte, over bool, err error) {
	var pieces [][]byte
	var total int64
	for size := int64(firstPiece); ; size = min(2*size, lastPiece) {
		piece := make([]byte, min(size, limit-total+1))
		n, err := fill(r, piece)
		pieces = append(pieces, piece[:n])
		total += int64(n)
		switch {
		case total > limit:
			return nil, true, nil
		case errors.Is(err, io.EOF):
			return slices.Concat(pieces...), false, nil
		case err != nil:
			return nil, false, err
		}
	}
}

// fill reads until b is full. Unlike io.ReadFull it leaves the reader's error as
// it is: an answer that broke off is not one that ended.
func fill(r io.Reader, b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var m int
		m, err = r.Read(b[n:])
		n += m
	}
	if n == len(b) && err != io.EOF {
		return n, nil
	}
	return n, err
}

package jobfile

import (
	"errors"
	"io"
)

// Bounds of what is read of one media file. Its workflow is text of kilobytes
// to a few megabytes; the rest is stepped over, so a file's length costs nothing.
const (
	maxMediaBytes = 96 << 20 // read in all
	maxMediaSteps = 1 << 18  // reads in all: the chunks, boxes and clusters on the way
	maxMediaText  = 32 << 20 // of one text, also once unpacked
)

// section reads parts of a file here and there, within bounds. What cannot be
// read is absent: the readers of containers then end where they are. A reader's
// own failure is kept in err.
type section struct {
	r     io.ReaderAt
	size  int64
	bytes int64 // that may still be read
	steps int   // reads that may still be made
	err   error
}

func newSection(r io.ReaderAt, size int64) *section {
	return &section{r: r, size: size, bytes: maxMediaBytes, steps: maxMediaSteps}
}

// at reads n bytes at an offset, all of them or none.
func (s *section) at(offset, n int64) ([]byte, bool) {
	if offset < 0 || n < 0 || offset > s.size || n > s.size-offset || n > s.bytes || s.steps == 0 || s.err != nil {
		return nil, false
	}
	s.steps--
	s.bytes -= n
	data := make([]byte, n)
	read, err := s.r.ReadAt(data, offset)
	if int64(read) == n {
		return data, true
	}
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return nil, false
}

// upTo reads n bytes at an offset, or those that are left of the file.
func (s *section) upTo(offset, n int64) []byte {
	data, _ := s.at(offset, min(n, s.size-offset))
	return data
}

// text reads a text of a container, unless it is larger than any is.
func (s *section) text(offset, n int64) ([]byte, bool) {
	if n > maxMediaText {
		return nil, false
	}
	return s.at(offset, n)
}

package comfy

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestAnAnswerIsReadUpToItsBound(t *testing.T) {
	long := strings.Repeat("abcdefg", 20000)
	for _, c := range []struct {
		name  string
		body  io.Reader
		limit int64
		want  string
		over  bool
		err   error
	}{
		{"nothing", strings.NewReader(""), 10, "", false, nil},
		{"short", strings.NewReader("abc"), 10, "abc", false, nil},
		{"as long as its bound", strings.NewReader("0123456789"), 10, "0123456789", false, nil},
		{"one over it", strings.NewReader("0123456789a"), 10, "", true, nil},
		{"several pieces", strings.NewReader(long), 1 << 20, long, false, nil},
		{"byte by byte", iotest.OneByteReader(strings.NewReader(long)), 1 << 20, long, false, nil},
		{"its end with its last byte", iotest.DataErrReader(strings.NewReader(long)), 1 << 20, long, false, nil},
		{"endless", endless{}, 1 << 20, "", true, nil},
		{"broken off", iotest.TimeoutReader(bytes.NewReader([]byte(long))), 1 << 20, "", false, iotest.ErrTimeout},
		{
			"broken off before its length", io.MultiReader(strings.NewReader("ab"), iotest.ErrReader(io.ErrUnexpectedEOF)),
			10, "", false, io.ErrUnexpectedEOF,
		},
	} {
		body, over, err := readBounded(c.body, c.limit)
		if string(body) != c.want || over != c.over || !errors.Is(err, c.err) {
			t.Errorf("%s: %d bytes, over %v, %v", c.name, len(body), over, err)
		}
	}
}

// endless never ends.
type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

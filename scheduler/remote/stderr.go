package remote

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
)

// Bounds on what is kept of ssh's standard error.
const (
	maxLine = 4 << 10
	maxSaid = 4 << 10
)

// report is what ssh says on standard error, read line by line as it comes. Its
// pipe is always drained.
type report struct {
	// heard gets each line that is about the tunnel itself; nil for none. It must
	// not block.
	heard func(line string)

	mu   sync.Mutex
	line []byte
	said []byte // what was no debugging line: the last maxSaid bytes
	key  string // of the computer that was spoken to last: its kind and fingerprint
}

var hostKey = regexp.MustCompile(`^debug1: Server host key: (\S+) (SHA256:[A-Za-z0-9+/=]+)`)

// Write implements io.Writer.
func (r *report) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(b)
	for len(b) > 0 {
		part, rest, ended := bytes.Cut(b, []byte{'\n'})
		b = rest
		r.line = append(r.line, part[:min(len(part), maxLine-len(r.line))]...)
		if ended {
			r.take(string(bytes.TrimRight(r.line, "\r")))
			r.line = r.line[:0]
		}
	}
	return n, nil
}

func (r *report) take(line string) {
	if r.heard != nil {
		r.heard(line)
	}
	if m := hostKey.FindStringSubmatch(line); m != nil {
		r.key = m[1] + " " + m[2]
	}
	if isNoise(line) {
		return
	}
	r.said = append(append(r.said, line...), '\n')
	if over := len(r.said) - maxSaid; over > 0 {
		r.said = append(r.said[:0], r.said[over:]...)
	}
}

// isNoise tells what ssh says only because it was asked to say much.
func isNoise(line string) bool {
	for _, start := range []string{
		"debug", "OpenSSH_", "Authenticated to ", "Transferred: ", "Bytes per second: ", "Warning: Permanently added ",
		"channel ", // of connections; who made them is told
	} {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return strings.TrimSpace(line) == ""
}

// words gives what was said, a line that has not ended included.
func (r *report) words() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.TrimSpace(string(r.said) + string(r.line))
}

// fingerprint gives the key that the last computer showed, as "KIND SHA256:...",
// "" when none did.
func (r *report) fingerprint() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.key
}

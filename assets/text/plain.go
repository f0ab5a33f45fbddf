package text

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain makes a text from outside, such as a server's message or a file's name,
// safe to show in a line: what would steer a terminal, break the line, or make
// the text read as another one is written as an escape. Letters of all scripts
// stay as they are, and so does a text that is plain already.
func Plain(s string) string { return escaped(s, isPlain) }

// PlainLines is Plain for a text of several lines.
func PlainLines(s string) string {
	return escaped(s, func(r rune) bool { return r == '\n' || isPlain(r) })
}

func escaped(s string, keep func(rune) bool) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !keep(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteString(`\x` + strconv.FormatUint(uint64(s[i])|0x100, 16)[1:])
		case keep(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		i += size
	}
	return b.String()
}

// isPlain tells what a line may hold. The marks of direction are those of the
// Unicode Bidirectional Algorithm (UAX 9, section 2).
func isPlain(r rune) bool {
	switch {
	case unicode.IsControl(r), r == '\u2028', r == '\u2029', r == '\ufeff', r == '\u061c',
		r == '\u200e', r == '\u200f', '\u202a' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069':
		return false
	}
	return true
}

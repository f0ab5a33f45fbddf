package transfer

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxNameBytes leaves room for " (1000)" and for what a partial file has
	// around its name: file systems take 255 bytes or more.
	maxNameBytes = 200
	maxExtBytes  = 20
	namelessFile = "result"
)

// FileName makes a name for a file here of what a server calls it: the last
// part of any path, without what some system would take for something else than
// a name (separators, control characters, text direction marks, Windows' reserved
// characters and device names, leading dots, dots and spaces at the end), and
// not too long. Letters of all scripts stay as they are. The result is never
// empty, and the name of itself is itself.
func FileName(name string) string {
	name = strings.ToValidUTF8(name, "_")
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	return tidy(name, namelessFile, maxExtBytes)
}

// folderName does the same for a folder that a person named; a separator in it
// is part of the name.
func folderName(name string) string {
	return tidy(strings.ToValidUTF8(name, "_"), "", 0)
}

func tidy(name, nameless string, maxExt int) string {
	name = strings.Map(plain, name)
	name = strings.TrimRight(strings.TrimLeft(name, ". "), ". ")
	if name == "" {
		return nameless
	}
	if isDevice(name) {
		name = "_" + name
	}
	return shorten(name, maxExt)
}

// plain replaces what must not be in a name.
func plain(r rune) rune {
	switch {
	case unicode.IsControl(r), strings.ContainsRune(`<>:"/\|?*`, r):
		return '_'
	case r == '\u2028', r == '\u2029', r == '\ufeff',
		r == '\u200e', r == '\u200f', '\u202a' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069':
		return '_' // line separators and marks that make a name read as another
	case unicode.IsSpace(r):
		return ' '
	}
	return r
}

// shorten cuts the middle out of an over-long name: its ending says what it is.
func shorten(name string, maxExt int) string {
	if len(name) <= maxNameBytes {
		return name
	}
	ext := path.Ext(name)
	if len(ext) > maxExt {
		ext = ""
	}
	stem := name[:maxNameBytes-len(ext)]
	for !utf8.ValidString(stem) {
		stem = stem[:len(stem)-1]
	}
	return strings.TrimRight(stem, ". ") + ext
}

// isDevice tells whether Windows takes a name for a device, whatever its ending
// (Microsoft, "Naming Files, Paths, and Namespaces").
func isDevice(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	stem = strings.ToUpper(strings.TrimRight(stem, " "))
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	port, ok := strings.CutPrefix(stem, "COM")
	if !ok {
		port, ok = strings.CutPrefix(stem, "LPT")
	}
	digit, size := utf8.DecodeRuneInString(port)
	return ok && size > 0 && size == len(port) && strings.ContainsRune("0123456789¹²³", digit)
}

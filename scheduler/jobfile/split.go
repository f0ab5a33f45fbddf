package jobfile

import (
	"encoding/json"
	"strings"
)

// member is a name and its value in a JSON object.
type member struct {
	key   string
	raw   json.RawMessage // the name as the file spells it, quotes included
	value json.RawMessage
}

// object takes a valid JSON object apart in its own order, without touching a
// byte of its values. Anything else gives false. A name that occurs again takes
// the place of the first and the value of the last, as Python's parser does it
// on the server; repeated counts those.
func object(raw json.RawMessage) (members []member, repeated int, ok bool) {
	if kind(raw) != '{' {
		return nil, 0, false
	}
	seen := map[string]int{}
	for at := skipSpace(raw, skipSpace(raw, 0)+1); at < len(raw) && raw[at] == '"'; {
		end := stringEnd(raw, at)
		m := member{raw: raw[at:end]}
		if json.Unmarshal(m.raw, &m.key) != nil {
			return nil, 0, false
		}
		at = skipSpace(raw, skipSpace(raw, end)+1) // past the colon
		end = valueEnd(raw, at)
		m.value = raw[at:end]
		if first, again := seen[m.key]; again {
			members[first].value = m.value
			repeated++
		} else {
			seen[m.key] = len(members)
			members = append(members, m)
		}
		at = skipSpace(raw, skipSpace(raw, end)+1) // past the comma or the brace
	}
	return members, repeated, true
}

// elements takes a valid JSON array apart. Anything else gives false.
func elements(raw json.RawMessage) ([]json.RawMessage, bool) {
	if kind(raw) != '[' {
		return nil, false
	}
	var list []json.RawMessage
	for at := skipSpace(raw, skipSpace(raw, 0)+1); at < len(raw) && raw[at] != ']'; {
		end := valueEnd(raw, at)
		list = append(list, raw[at:end])
		at = skipSpace(raw, end)
		if at < len(raw) && raw[at] == ',' {
			at = skipSpace(raw, at+1)
		}
	}
	return list, true
}

// text gives a JSON string's text.
func text(raw json.RawMessage) (string, bool) {
	var s string
	if kind(raw) != '"' || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// kind gives the first character of a JSON value, which tells its type.
func kind(raw json.RawMessage) byte {
	if at := skipSpace(raw, 0); at < len(raw) {
		return raw[at]
	}
	return 0
}

func skipSpace(raw []byte, at int) int {
	for at < len(raw) && strings.IndexByte(" \t\r\n", raw[at]) >= 0 {
		at++
	}
	return at
}

// stringEnd gives the offset after the string that begins at an offset, or the
// length when it does not end.
func stringEnd(raw []byte, at int) int {
	for i := at + 1; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}

// valueEnd gives the offset after the value that begins at an offset of valid
// JSON.
func valueEnd(raw []byte, at int) int {
	depth := 0
	for i := at; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i = stringEnd(raw, i) - 1
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return len(raw)
}

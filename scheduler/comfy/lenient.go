package comfy

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// plainJSON makes Python's JSON into JSON: bare NaN, Infinity and -Infinity
// outside strings become null. Servers write them into object_info, error
// inputs and the prompts that they keep (comfyui-protocol, 1.0).
func plainJSON(b []byte) []byte {
	if !bytes.Contains(b, []byte("NaN")) && !bytes.Contains(b, []byte("Infinity")) {
		return b
	}
	out := make([]byte, 0, len(b))
	inString := false
	for i := 0; i < len(b); i++ {
		switch {
		case inString && b[i] == '\\' && i+1 < len(b):
			out = append(out, b[i], b[i+1])
			i++
			continue
		case b[i] == '"':
			inString = !inString
		case !inString:
			if n := bareWord(b[i:]); n > 0 {
				out = append(out, "null"...)
				i += n - 1
				continue
			}
		}
		out = append(out, b[i])
	}
	return out
}

func bareWord(b []byte) int {
	for _, word := range []string{"NaN", "-Infinity", "Infinity"} {
		if bytes.HasPrefix(b, []byte(word)) {
			return len(word)
		}
	}
	return 0
}

// object is a JSON object read without trust: a field of another type than
// expected is as good as absent.
type object map[string]json.RawMessage

func asObject(raw json.RawMessage) (object, bool) {
	var o object
	if json.Unmarshal(raw, &o) != nil || o == nil {
		return nil, false
	}
	return o, true
}

func asList(raw json.RawMessage) ([]json.RawMessage, bool) {
	var l []json.RawMessage
	if json.Unmarshal(raw, &l) != nil || l == nil {
		return nil, false
	}
	return l, true
}

func (o object) object(key string) object {
	in, _ := asObject(o[key])
	return in
}

func (o object) list(key string) []json.RawMessage {
	l, _ := asList(o[key])
	return l
}

// text gives a string, or a number as it was written.
func (o object) text(key string) string { return asText(o[key]) }

func asText(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	if raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return ""
		}
		return s
	}
	if _, ok := asNumber(raw); ok {
		return string(raw)
	}
	return ""
}

func (o object) number(key string) (float64, bool) { return asNumber(o[key]) }

func asNumber(raw json.RawMessage) (float64, bool) {
	if len(raw) == 0 || (raw[0] != '-' && (raw[0] < '0' || raw[0] > '9')) {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// int64 gives a whole number; fractions and numbers out of range are as good as
// absent.
func (o object) int64(key string) (int64, bool) {
	f, ok := o.number(key)
	if !ok || f != math.Trunc(f) || math.Abs(f) > 1<<62 {
		return 0, false
	}
	return int64(f), true
}

// field is a name and its value, in an object whose order carries meaning.
type field struct {
	name  string
	value json.RawMessage
}

// fields gives an object's fields in the order in which they are written.
func fields(raw json.RawMessage) ([]field, bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	var out []field
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, false
		}
		s, ok := name.(string)
		if !ok {
			return nil, false
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return nil, false
		}
		out = append(out, field{s, value})
	}
	if t, err := dec.Token(); err != nil || t != json.Delim('}') {
		return nil, false
	}
	return out, true
}

// shown gives a JSON value as a person would write it: strings without quotes,
// numbers with all of their digits.
func shown(raw json.RawMessage) string {
	if s := asText(raw); s != "" || len(raw) == 0 {
		return clip(s, 200)
	}
	return clip(string(raw), 200)
}

// clip bounds a text from outside to n bytes and makes it valid UTF-8.
func clip(s string, n int) string {
	s = strings.TrimSpace(s)
	if len(s) > n {
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n] + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

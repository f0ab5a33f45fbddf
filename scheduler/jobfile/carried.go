package jobfile

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// carried is what a picture, a video or a sound carries of a workflow.
type carried struct {
	prompt   []byte // the API format's JSON text: what really ran
	workflow []byte // the page's format
	a1111    bool   // another program's parameters
	cut      bool   // the file ends in the middle
	torn     bool   // a checksum of what is carried is wrong
	begun    bool   // a workflow begins in it, whether it could be read or not
}

// add takes a tag of a container. Names are compared without case: tools that
// copy metadata change it. Where a name occurs again the last one counts, as it
// does on ComfyUI's page.
func (c *carried) add(name string, value []byte) {
	value = bytes.Trim(value, "\x00 \t\r\n")
	// "©cmt" is written in Latin-1.
	switch strings.ToLower(strings.TrimPrefix(strings.TrimSpace(name), "\xa9")) {
	case "prompt":
		if isStructure(value) {
			c.prompt = value
		}
	case "workflow":
		if isStructure(value) {
			c.workflow = value
		}
	case "parameters":
		c.a1111 = c.a1111 || isA1111(string(value))
	case "comment", "description", "cmt", "des":
		c.addComment(value)
	}
	c.begun = c.begun || c.prompt != nil || c.workflow != nil
}

// addComment takes what VideoHelperSuite writes: both in one object, each as
// JSON or as JSON in a string.
func (c *carried) addComment(value []byte) {
	doc, _, deep := withoutNaN(value)
	if deep || !json.Valid(doc) {
		return
	}
	members, _, _ := object(doc)
	for _, m := range members {
		if m.key != "prompt" && m.key != "workflow" {
			continue
		}
		if s, ok := text(m.value); ok {
			c.add(m.key, []byte(s))
		} else {
			c.add(m.key, m.value)
		}
	}
}

// addPair takes what ComfyUI writes into EXIF: name and value in one text.
func (c *carried) addPair(pair []byte) {
	if name, value, ok := bytes.Cut(pair, []byte(":")); ok && len(name) <= len("description") {
		c.add(string(name), value)
	}
}

// isStructure tells JSON that can be a workflow from the plain texts that other
// programs keep under the same names.
func isStructure(value []byte) bool {
	return len(value) > 1 && (value[0] == '{' || value[0] == '[' || value[0] == '"')
}

// fromLatin1 gives the text of a field that is Latin-1 by its standard. Many
// programs put UTF-8 there all the same.
func fromLatin1(data []byte) []byte {
	if utf8.Valid(data) {
		return data
	}
	out := make([]byte, 0, len(data)+len(data)/4)
	for _, b := range data {
		out = utf8.AppendRune(out, rune(b))
	}
	return out
}

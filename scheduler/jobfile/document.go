package jobfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"reckoner/scheduler/job"
)

// maxDepth bounds the nesting of a document. Real ones stay under 20.
const maxDepth = 256

// parseDocument gives the JSON value that a text is. Bare NaN and Infinity,
// which ComfyUI itself writes (comfyui-protocol, 5.5), become null.
func parseDocument(text []byte) (json.RawMessage, []job.Say, *job.Error) {
	text = bytes.TrimSpace(text)
	if !strings.ContainsRune(`{["-0123456789tfnNI`, rune(text[0])) {
		return nil, nil, refuseText(text)
	}
	doc, replaced, deep := withoutNaN(text)
	if deep {
		return nil, nil, job.Errorf(job.ErrNotWorkflow, job.Args{Value: "too_deep"}, nil)
	}
	if !json.Valid(doc) { // a copy of a large text is made only to say what is wrong with it
		var none json.RawMessage
		return nil, nil, refuseSyntax(doc, json.Unmarshal(doc, &none))
	}
	var warnings []job.Say
	if replaced > 0 {
		warnings = append(warnings, job.Say{Code: job.WarnNaN, Args: job.Args{Count: replaced}})
	}
	return doc, warnings, nil
}

// refuseText names a text that is not JSON by its first character.
func refuseText(text []byte) *job.Error {
	switch {
	case text[0] == '<' && bytes.Contains(text, []byte("<svg")):
		return job.Errorf(job.ErrPicture, job.Args{Value: "svg"}, nil)
	case text[0] == '<':
		return job.Errorf(job.ErrNotWorkflow, job.Args{Value: "html"}, nil)
	case isA1111(string(text)):
		return job.Errorf(job.ErrA1111, job.Args{Value: "text"}, nil)
	}
	return job.Errorf(job.ErrNotJSON, job.Args{Count: 1, Detail: "line 1: not JSON"}, nil)
}

func refuseSyntax(doc []byte, err error) *job.Error {
	if isA1111(string(doc)) && doc[0] != '{' {
		return job.Errorf(job.ErrA1111, job.Args{Value: "text"}, nil)
	}
	offset := len(doc)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = int(syntax.Offset)
	}
	// The offset counts the bytes that were read, the offending one included; at
	// the end of the text nothing offended, it only stopped.
	line := lineOf(doc, offset-1)
	args := job.Args{Count: line, Detail: fmt.Sprintf("line %d: %s", line, err)}
	if strings.Contains(err.Error(), "unexpected end") {
		args.Count = lineOf(doc, len(doc))
		args.Detail = fmt.Sprintf("line %d: the text ends here", args.Count)
		return job.Errorf(job.ErrTruncated, args, nil)
	}
	return job.Errorf(job.ErrNotJSON, args, nil)
}

// withoutNaN replaces bare NaN, Infinity and -Infinity outside strings by null
// and tells how many, and whether the nesting is deeper than maxDepth. Text
// without any is returned as it is.
func withoutNaN(text []byte) (out []byte, replaced int, deep bool) {
	depth, from := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = stringEnd(text, i) - 1
		case '{', '[':
			if depth++; depth > maxDepth {
				return nil, 0, true
			}
		case '}', ']':
			depth--
		case 'N', 'I', '-':
			word := bareWord(text[i:])
			if word == 0 {
				continue
			}
			out = append(append(out, text[from:i]...), "null"...)
			from = i + word
			i = from - 1
			replaced++
		}
	}
	if replaced == 0 {
		return text, 0, false
	}
	return append(out, text[from:]...), replaced, false
}

func bareWord(text []byte) int {
	for _, w := range [...]string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(text, []byte(w)) {
			return len(w)
		}
	}
	return 0
}

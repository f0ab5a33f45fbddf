package job

import (
	"strings"
	"time"
)

// Say is a sentence before it has words: a stable code and the arguments it
// needs. Pure packages say things this way; assets/text makes a sentence of it
// for window, terminal and JSON.
type Say struct {
	Code string `json:"code"`
	Args Args   `json:"args,omitzero"`
}

// Args are the things a sentence can be about. Each code uses a few of them.
type Args struct {
	Job     string    `json:"job,omitempty"`     // a job's name
	Server  string    `json:"server,omitempty"`  // a server's name, or its bare URL
	Machine string    `json:"machine,omitempty"` // a machine's name
	GPU     string    `json:"gpu,omitempty"`
	File    string    `json:"file,omitempty"`
	Node    string    `json:"node,omitempty"`  // a node's id, with its class in Class
	Class   string    `json:"class,omitempty"` // a node class
	Input   string    `json:"input,omitempty"` // a node's input
	Value   string    `json:"value,omitempty"` // what was given, read or found
	Allowed []string  `json:"allowed,omitempty"`
	Detail  string    `json:"detail,omitempty"` // raw text from outside, bounded; shown under "Details"
	Status  int       `json:"status,omitempty"` // an HTTP status or an exit status
	Count   int       `json:"count,omitempty"`
	Of      int       `json:"of,omitempty"`
	Seconds float64   `json:"seconds,omitempty"`
	UpTo    float64   `json:"up_to,omitempty"` // the upper end of a range that starts at Seconds
	RunS    float64   `json:"run_s,omitempty"` // how long the run took that is meant
	Bytes   int64     `json:"bytes,omitempty"`
	At      time.Time `json:"at,omitzero"`
	Percent float64   `json:"percent,omitempty"`
	Watts   float64   `json:"watts,omitempty"`
	OfWatts float64   `json:"of_watts,omitempty"`
	OfBytes int64     `json:"of_bytes,omitempty"`
	// Fingerprint names a key by its SHA-256: a computer's as "KIND SHA256:BASE64",
	// as ssh writes it, a certificate's as hexadecimal pairs between colons, as
	// browsers do.
	Fingerprint string `json:"fingerprint,omitempty"`
}

// Error is an error that a person will read: what happened and to what, in code
// form, with what caused it. Callers decide on Code, found with errors.As or
// CodeOf.
type Error struct {
	Say
	// Faults are the node inputs that a render server refused, when Code is
	// ErrRefused.
	Faults []NodeFault `json:"faults,omitempty"`
	// Cause is not stored.
	Cause error `json:"-"`
}

// NodeFault is one thing a render server did not accept about one node.
type NodeFault struct {
	Node    string   `json:"node"`
	Class   string   `json:"class,omitempty"`
	Input   string   `json:"input,omitempty"`
	Type    string   `json:"type"`    // the server's code, such as value_not_in_list
	Message string   `json:"message"` // the server's words
	Details string   `json:"details,omitempty"`
	Value   string   `json:"value,omitempty"`   // what the job gave
	Allowed []string `json:"allowed,omitempty"` // what the server allows, at most 20
}

// Error gives the code and the raw detail: text for logs. People get their
// sentence from assets/text.
func (e *Error) Error() string {
	s := e.Code
	if e.Args.Detail != "" {
		s += ": " + e.Args.Detail
	}
	if e.Cause != nil && !strings.Contains(s, e.Cause.Error()) { // often the detail is the cause
		s += ": " + e.Cause.Error()
	}
	return s
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"reckoner/scheduler/job"
)

// The protocol of an instance's socket: lines of JSON. The client sends one
// request; the engine's process answers with replies, the last of which has End,
// Fault or OK. During a run the client may send one more line, cancel.
//
// Both sides are the same user's; the socket's mode sees to that. All the same
// every line is bounded and every write has a deadline: a peer that hangs must
// not hang this side.
const (
	protocolVersion = 1
	maxRequest      = 1 << 20
	maxReply        = 8 << 20
	requestWait     = 10 * time.Second
	writeWait       = 30 * time.Second
)

// What a request asks for.
const (
	askRun     = "run"     // queue the errand, follow its jobs to their end
	askAdd     = "add"     // queue the errand's files and leave
	askStatus  = "status"  // what the engine is doing, as lines
	askFollow  = "follow"  // status, and then every event
	askHistory = "history" // one page
	askShow    = "show"    // bring the window to the front
	askCancel  = "cancel"  // during a run: cancel its jobs
)

// request is a line of the client.
type request struct {
	Version int              `json:"v"`
	Ask     string           `json:"ask"`
	Errand  errand           `json:"errand,omitzero"`
	History job.HistoryQuery `json:"history,omitzero"`
}

// reply is a line of the engine's process.
type reply struct {
	Said  *said            `json:"said,omitempty"` // a JSON line of the table
	Rows  []job.HistoryRow `json:"rows,omitempty"`
	End   *result          `json:"end,omitempty"`
	Fault *fault           `json:"fault,omitempty"`
	OK    bool             `json:"ok,omitempty"`
}

// said gives what a reply says, nothing when it does not.
func (r reply) said() said {
	if r.Said == nil {
		return said{}
	}
	return *r.Said
}

// fault is why a request was not done.
type fault struct {
	Status int    `json:"status"`
	Text   string `json:"text"`
}

// faultOf makes a fault of an error, keeping its exit status.
func faultOf(err error) *fault {
	if e, ok := errors.AsType[*exitError](err); ok {
		return &fault{Status: e.status, Text: e.text}
	}
	return &fault{Status: exitFailed, Text: err.Error()}
}

// wire reads and writes lines of JSON on a connection.
type wire struct {
	conn net.Conn
	in   *bufio.Reader
	max  int // bytes of a line that is read
}

func newWire(conn net.Conn, maxLine int) *wire {
	return &wire{conn: conn, in: bufio.NewReader(conn), max: maxLine}
}

func (w *wire) send(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := w.conn.SetWriteDeadline(time.Now().Add(writeWait)); err != nil {
		return err
	}
	_, err = w.conn.Write(append(b, '\n'))
	return err
}

// receive reads a line into v. io.EOF means that the peer closed in between two
// lines.
func (w *wire) receive(v any) error {
	var line []byte
	for {
		part, err := w.in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > w.max:
			return fmt.Errorf("a line of more than %d bytes", w.max)
		case err == nil:
			return json.Unmarshal(line, v)
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) > 0:
			return io.ErrUnexpectedEOF
		default:
			return err
		}
	}
}

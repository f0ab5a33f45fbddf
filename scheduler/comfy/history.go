package comfy

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"reckoner/scheduler/job"
)

// newestEntries is how far back FindRecord looks. Each entry may hold a whole
// workflow.
const newestEntries = 100

// Record reads a prompt's entry in the server's history. Not finished and never
// heard of look the same and are both false.
func (c *Client) Record(ctx context.Context, promptID string) (job.Record, bool, error) {
	q := get("/history/"+url.PathEscape(promptID), listAnswer)
	raw, a, err := c.ask(ctx, q)
	if err != nil {
		return job.Record{}, false, err
	}
	entries, ok := asObject(raw)
	if !ok {
		return job.Record{}, false, c.notHistory(q, a)
	}
	entry, ok := entries[promptID]
	if !ok {
		if len(entries) > 0 { // of something else: not an answer to this question
			return job.Record{}, false, c.notHistory(q, a)
		}
		return job.Record{}, false, nil
	}
	record, ok := decodeRecord(promptID, entry)
	if !ok {
		return job.Record{}, false, c.notHistory(q, a)
	}
	return c.named(record), true, nil
}

// FindRecord looks for the tag of a run in the newest entries of the history.
func (c *Client) FindRecord(ctx context.Context, run job.ID) (job.Record, bool, error) {
	q := get("/history", listAnswer)
	q.query = url.Values{"max_items": {strconv.Itoa(newestEntries)}}
	raw, a, err := c.ask(ctx, q)
	if err != nil {
		return job.Record{}, false, err
	}
	entries, ok := fields(raw)
	if !ok {
		return job.Record{}, false, c.notHistory(q, a)
	}
	unread := false
	for _, e := range slices.Backward(entries) { // the newest is last
		record, ok := decodeRecord(e.name, e.value)
		if ok && run != "" && record.Tag.Run == run {
			return c.named(record), true, nil
		}
		unread = unread || !ok
	}
	if unread { // ours may be among those that could not be read
		return job.Record{}, false, c.notHistory(q, a)
	}
	return job.Record{}, false, nil
}

func (c *Client) notHistory(q call, a answer) error {
	return c.fail(job.ErrBadReply, q, job.Args{Status: a.status, Detail: "not a history of ComfyUI"}, nil)
}

// named says in a record's error which server it is about. A record that does
// not say how the run ended has that for an error.
func (c *Client) named(r job.Record) job.Record {
	if r.Outcome == "" && r.Err == nil {
		r.Err = job.Errorf(job.ErrNoOutcome, job.Args{}, nil)
	}
	if r.Err != nil {
		r.Err.Args.Server = c.at.shown
	}
	return r
}

func decodeRecord(id string, raw json.RawMessage) (job.Record, bool) {
	entry, ok := asObject(raw)
	if !ok {
		return job.Record{}, false
	}
	r := job.Record{PromptID: id, Tag: promptOf(entry.list("prompt")).Tag}
	r.Outputs, r.OtherOutputs = decodeOutputs(entry["outputs"])
	status := entry.object("status")
	terminal := readMessages(&r, status.list("messages"))
	if terminal == nil {
		r.Outcome = inferred(status)
		if entry["status"] == nil && len(r.Outputs) > 0 {
			// Before January 2024 a record says nothing of how it ended. What was
			// promised is there.
			r.Outcome = job.RunSucceeded
		}
		if r.Outcome == job.RunFailed {
			r.Err = job.Errorf(job.ErrNodeFailed, job.Args{}, nil)
		}
		return r, true
	}
	r.Outcome, r.Ended = terminal.outcome, terminal.stamp
	r.Err = terminal.err
	return r, true
}

// readMessages takes what the messages of an entry say, and gives the last one
// that ends a prompt: status_str alone says "success" of some failures and of
// old interrupts (comfyui-protocol, 1.6).
func readMessages(r *job.Record, messages []json.RawMessage) *terminal {
	var last *terminal
	for _, m := range messages {
		pair, ok := asList(m)
		if !ok || len(pair) < 2 {
			continue
		}
		data, _ := asObject(pair[1])
		switch kind := asText(pair[0]); kind {
		case "execution_start":
			r.Started = data.stamp()
		case "execution_cached":
			r.Cached = texts(data.list("nodes"))
		default:
			if t := asTerminal(kind, data); t != nil {
				last = t
			}
		}
	}
	return last
}

// inferred is the outcome of an entry without a terminal message: servers
// before July 2024 have none for success, older ones have no messages at all.
func inferred(status object) job.RunOutcome {
	switch {
	case string(status["completed"]) == "true":
		return job.RunSucceeded
	case status.text("status_str") == "error":
		return job.RunFailed
	default:
		return ""
	}
}

// terminal is a message that ends a prompt.
type terminal struct {
	outcome job.RunOutcome
	stamp   time.Time
	err     *job.Error
}

// asTerminal reads a message as the end of a prompt, as websocket and history
// have it; nil when it is none. ExecutionBlocked comes as an error but the
// prompt goes on (comfyui-protocol, 2.3).
func asTerminal(kind string, data object) *terminal {
	t := &terminal{stamp: data.stamp()}
	switch kind {
	case "execution_success":
		t.outcome = job.RunSucceeded
	case "execution_interrupted":
		t.outcome = job.RunInterrupted
	case "execution_error":
		if data.text("exception_type") == "ExecutionBlocked" {
			return nil
		}
		t.outcome, t.err = job.RunFailed, nodeError(data)
	default:
		return nil
	}
	return t
}

// nodeError says which node failed and how, in the server's words, without its
// traceback and inputs.
func nodeError(data object) *job.Error {
	kind, message := data.text("exception_type"), data.text("exception_message")
	code := job.ErrNodeFailed
	lower := strings.ToLower(message)
	if strings.HasSuffix(kind, "OutOfMemoryError") || strings.Contains(lower, "out of memory") ||
		strings.Contains(lower, "allocation on device") {
		code = job.ErrOutOfMemory
	}
	switch {
	case code == job.ErrOutOfMemory:
	case containsAny(lower, "please login first"):
		code = job.ErrAccount
	case containsAny(lower, "no space left on device", "[errno 28]", "not enough space on the disk"):
		code = job.ErrServerDisk
	case containsAny(lower, "cuda error", "cudnn error", "cublas_status_", "hip error", "device-side assert"):
		code = job.ErrGPUFault // of the process: what it is asked next fails alike
	}
	return job.Errorf(code, job.Args{
		Node: clip(data.text("node_id"), 100), Class: clip(data.text("node_type"), 200),
		Detail: clip(strings.Trim(kind+": "+strings.TrimSpace(message), ": "), 2000),
	}, nil)
}

func containsAny(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// stamp gives a message's time on the server's clock, zero when it has none.
func (o object) stamp() time.Time {
	ms, ok := o.number("timestamp")
	if !ok || ms <= 0 || ms > 1e14 {
		return time.Time{}
	}
	return time.UnixMilli(int64(ms)).UTC()
}

// Bounds of lists of nodes, and of ids in bytes.
const (
	maxNodes = 20000
	maxID    = 1024
)

func texts(list []json.RawMessage) []string {
	var out []string
	for _, raw := range list[:min(len(list), maxNodes)] {
		if s := asText(raw); s != "" && len(s) <= maxID {
			out = append(out, s)
		}
	}
	return out
}

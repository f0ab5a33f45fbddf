package comfy

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"

	"reckoner/scheduler/job"
)

// Bounds of answers, in bytes after decompression. Queue and history hold whole
// workflows of other people.
const (
	smallAnswer = 1 << 20
	promptReply = 8 << 20
	queueAnswer = 32 << 20
	listAnswer  = 64 << 20
)

// Deadlines of whole requests.
const (
	readWait   = 60 * time.Second
	submitWait = 120 * time.Second // validation may import code and scan folders
)

// call is a request to make.
type call struct {
	method string
	path   string // under the API prefix, escaped
	query  url.Values
	body   []byte // JSON; nil for none
	form   *form  // instead of body; nil for none
	limit  int64
	within time.Duration
	// once says that a lost answer leaves open whether the server did it.
	once bool
}

func get(path string, limit int64) call {
	return call{method: http.MethodGet, path: path, limit: limit, within: readWait}
}

func post(path string, body []byte) call {
	return call{method: http.MethodPost, path: path, body: body, limit: smallAnswer, within: readWait}
}

// answer is what came back, whatever its status.
type answer struct {
	status int
	header http.Header
	body   []byte
	// offset is the server's clock minus ours, if it sent its time.
	offset time.Duration
}

// send makes a request under a prefix and reads the whole answer. Its errors are
// those of getting an answer at all.
func (c *Client) send(ctx context.Context, prefix string, q call) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, q.within)
	defer cancel()
	var wrote atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { wrote.Store(true) }})
	req, err := c.request(ctx, prefix, q)
	if err != nil {
		return answer{}, err
	}
	began := time.Now()
	resp, err := c.http.Do(req) //nolint:gosec // the user named this server
	if err != nil {
		return answer{}, c.noAnswer(q, err, wrote.Load())
	}
	defer func() { _ = resp.Body.Close() }() // read to its end or given up; nothing left to learn
	a := answer{status: resp.StatusCode, header: resp.Header, offset: clockOffset(resp.Header, began, time.Now())}
	var over bool
	if a.body, over, err = readBounded(resp.Body, q.limit); err != nil {
		return answer{}, c.noAnswer(q, err, true)
	}
	if over {
		code := job.ErrTooLarge
		if q.once {
			code = job.ErrOutcomeUnknown
		}
		return answer{}, c.fail(code, q, job.Args{Bytes: q.limit, Detail: "the answer is larger than our bound"}, nil)
	}
	return a, nil
}

func (c *Client) request(ctx context.Context, prefix string, q call) (*http.Request, error) {
	var body io.Reader
	if q.body != nil {
		body = bytes.NewReader(q.body)
	}
	if q.form != nil {
		body = q.form.reader()
	}
	at, err := c.enter(ctx, q)
	if err != nil {
		return nil, err
	}
	//nolint:gosec // the user named this server
	req, err := http.NewRequestWithContext(ctx, q.method, at.url(prefix+q.path, q.query), body)
	if err != nil { // its text holds the URL with its query
		return nil, c.fail(job.ErrUnreachable, q, job.Args{Detail: "no request can be made for this address"}, nil)
	}
	maps.Copy(req.Header, at.header)
	switch {
	case q.form != nil:
		req.Header.Set("Content-Type", q.form.kind)
		req.ContentLength = q.form.size()
	case q.body != nil:
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// ask makes a request and gives the JSON of a good answer, NaN made null.
func (c *Client) ask(ctx context.Context, q call) (json.RawMessage, answer, error) {
	prefix, err := c.api(ctx)
	if err != nil {
		return nil, answer{}, err
	}
	return c.askUnder(ctx, prefix, q)
}

func (c *Client) askUnder(ctx context.Context, prefix string, q call) (json.RawMessage, answer, error) {
	a, err := c.send(ctx, prefix, q)
	if err != nil {
		return nil, answer{}, err
	}
	if err := c.judge(q, a); err != nil {
		return nil, a, err
	}
	if looksLikePage(a) {
		return nil, a, c.answered(job.ErrNotComfy, q, a)
	}
	return plainJSON(a.body), a, nil
}

// tell makes a request whose good answer says nothing.
func (c *Client) tell(ctx context.Context, q call) error {
	prefix, err := c.api(ctx)
	if err != nil {
		return err
	}
	a, err := c.send(ctx, prefix, q)
	if err != nil {
		return err
	}
	if err := c.judge(q, a); err != nil {
		return err
	}
	if looksLikePage(a) {
		return c.answered(job.ErrNotComfy, q, a)
	}
	return nil
}

// api gives the prefix of the routes, finding it out when it is not known.
func (c *Client) api(ctx context.Context) (string, error) {
	c.mu.Lock()
	known := c.prefix
	c.mu.Unlock()
	if known != nil {
		return *known, nil
	}
	_, prefix, err := c.knock(ctx)
	return prefix, err
}

// forget gives up what is known of the server: it may have been restarted as
// another version, and an interrupt must not trust what an older one could do.
func (c *Client) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.prefix, c.can = nil, nil
}

// knock asks the cheapest question, how many prompts there are, to see whether
// this is ComfyUI and whether it has the /api prefix (since June 2024). It
// remembers the prefix.
func (c *Client) knock(ctx context.Context) (answer, string, error) {
	var first error
	for _, prefix := range []string{"/api", ""} {
		q := get("/prompt", smallAnswer)
		raw, a, err := c.askUnder(ctx, prefix, q)
		if err == nil {
			if o, ok := asObject(raw); ok && o["exec_info"] != nil {
				c.mu.Lock()
				c.prefix = &prefix
				c.mu.Unlock()
				return a, prefix, nil
			}
			err = c.answered(job.ErrNotComfy, q, a)
		}
		if job.CodeOf(err) != job.ErrNotComfy {
			return answer{}, "", err
		}
		if first == nil {
			first = err
		}
	}
	return answer{}, "", first
}

// clockOffset estimates the server's clock minus ours from a Date header, which
// is cut to whole seconds; 0 when there is none.
func clockOffset(h http.Header, began, ended time.Time) time.Duration {
	date, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return 0
	}
	middle := began.Add(ended.Sub(began) / 2)
	return date.Add(500 * time.Millisecond).Sub(middle)
}

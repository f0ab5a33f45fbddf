package comfy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"reckoner/scheduler/job"
)

// viewWait is how long a file may bring nothing before it is given up.
const viewWait = 60 * time.Second

var contentRange = regexp.MustCompile(`^bytes (\d+)-\d+/(\d+|\*)$`)

// View opens a file that the server made, from offset on. total is the length
// of the whole file, -1 when the server does not say. The caller closes body.
//
// A file that is not there is job.ErrNoSuchFile. A body that ends before its
// length fails with job.ErrShortFile, one that brings nothing for a minute with
// job.ErrBusy; both can be resumed. A file that the server keeps on another host
// is fetched there, without what opens the server.
func (c *Client) View(ctx context.Context, ref job.OutputRef, offset int64) (
	body io.ReadCloser, total int64, err error,
) {
	prefix, err := c.api(ctx)
	if err != nil {
		return nil, 0, err
	}
	q := call{method: http.MethodGet, path: "/view", query: url.Values{
		"filename": {ref.Filename}, "subfolder": {ref.Subfolder}, "type": {ref.Type},
	}}
	ctx, cancel := context.WithCancel(ctx)
	watch := newWatch(cancel)
	file, total, err := c.open(ctx, prefix, q, offset, watch)
	if err != nil {
		watch.end()
		return nil, 0, err
	}
	return file, total, nil
}

func (c *Client) open(ctx context.Context, prefix string, q call, offset int64, w *watch) (*file, int64, error) {
	req, err := c.request(ctx, prefix, q)
	if err != nil {
		return nil, 0, err
	}
	req.Header.Set("Accept-Encoding", "identity") // or lengths would not be the file's
	if offset > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
	}
	resp, err := c.fetch(req, q)
	if err != nil {
		return nil, 0, c.broken(q, err, w)
	}
	w.rest()
	f := &file{client: c, call: q, body: resp.Body, watch: w}
	total, skip, err := c.viewed(q, resp, offset)
	if err == nil && skip > 0 { // it ignores ranges and sends the whole file
		if n, copyErr := io.CopyN(io.Discard, f, skip); errors.Is(copyErr, io.EOF) {
			err = c.fail(job.ErrBadReply, q, job.Args{Bytes: n, Detail: "the file is not that long"}, nil)
		} else {
			err = copyErr
		}
	}
	if err != nil {
		_ = resp.Body.Close() // the error says more
		return nil, 0, err
	}
	return f, total, nil
}

// fetch asks for a file, and follows the server to another host where it keeps
// the file there. Nothing that opens the server goes along.
func (c *Client) fetch(req *http.Request, q call) (*http.Response, error) {
	resp, err := c.http.Do(req) //nolint:gosec // the user named this server
	if err != nil {
		return nil, err
	}
	to, ok := c.signed(resp)
	if !ok {
		return resp, nil
	}
	_ = resp.Body.Close() // it says no more than where the file is
	//nolint:gosec // what comes back goes into a file of the user's, and nothing goes out
	bare, err := http.NewRequestWithContext(req.Context(), http.MethodGet, to.String(), nil)
	if err != nil {
		return nil, errAddress
	}
	for _, name := range []string{"Accept-Encoding", "Range"} {
		if v := req.Header.Get(name); v != "" {
			bare.Header.Set(name, v)
		}
	}
	resp, err = c.elsewhere.Do(bare) //nolint:gosec // as above
	if err != nil {
		return nil, &dialError{withoutURL(err)} // its URL is what opens the file
	}
	if err := c.fromElsewhere(q, resp); err != nil {
		_ = resp.Body.Close() // the error says more
		return nil, &dialError{err}
	}
	return resp, nil
}

// viewed judges the head of an answer to /view: the file's length, and how many
// bytes of the body come before the offset.
func (c *Client) viewed(q call, resp *http.Response, offset int64) (total, skip int64, err error) {
	a := answer{status: resp.StatusCode, header: resp.Header}
	switch resp.StatusCode {
	case http.StatusOK:
		// ComfyUI sends pages as octet-stream, so this is somebody else's.
		if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
			return 0, 0, c.answered(job.ErrNotComfy, q, a)
		}
		return resp.ContentLength, offset, nil
	case http.StatusPartialContent:
		m := contentRange.FindStringSubmatch(resp.Header.Get("Content-Range"))
		if len(m) < 3 || m[1] != strconv.FormatInt(offset, 10) {
			return 0, 0, c.fail(job.ErrBadReply, q, job.Args{Status: a.status, Detail: "not the range asked for"}, nil)
		}
		if n, err := strconv.ParseInt(m[2], 10, 64); err == nil {
			return n, 0, nil
		}
		return -1, 0, nil
	case http.StatusRequestedRangeNotSatisfiable:
		return 0, 0, c.fail(job.ErrBadReply, q, job.Args{Status: a.status, Detail: "the file is not that long"}, nil)
	case http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound:
		// 400 and an empty 403 are for names that leave the folder
		// (comfyui-protocol, 1.10); an origin check would have refused the
		// question before this one.
		if resp.StatusCode != http.StatusForbidden || resp.ContentLength == 0 {
			return 0, 0, c.answered(job.ErrNoSuchFile, q, a)
		}
	}
	a.body, err = io.ReadAll(io.LimitReader(resp.Body, 4096))
	if err != nil {
		return 0, 0, c.noAnswer(q, err, true)
	}
	return 0, 0, c.judge(q, a)
}

// file is a body that is given up when it brings nothing for too long.
type file struct {
	client *Client
	call   call
	body   io.ReadCloser
	watch  *watch
}

func (f *file) Read(p []byte) (int, error) {
	f.watch.expect()
	n, err := f.body.Read(p)
	f.watch.rest()
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return n, err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return n, f.client.fail(job.ErrShortFile, f.call, job.Args{Detail: "ended before its length"}, err)
	default:
		return n, f.client.broken(f.call, err, f.watch)
	}
}

// broken says why a file stopped coming.
func (c *Client) broken(q call, err error, w *watch) error {
	if w.fired.Load() {
		return c.fail(job.ErrBusy, q, job.Args{Seconds: viewWait.Seconds(), Detail: "nothing came for too long"}, nil)
	}
	return c.noAnswer(q, err, true)
}

func (f *file) Close() error {
	f.watch.end()
	return f.body.Close()
}

// watch cancels a request while something is expected of it and does not come.
type watch struct {
	cancel context.CancelFunc
	timer  *time.Timer
	fired  atomic.Bool
}

func newWatch(cancel context.CancelFunc) *watch {
	w := &watch{cancel: cancel}
	w.timer = time.AfterFunc(viewWait, func() {
		w.fired.Store(true)
		cancel()
	})
	return w
}

func (w *watch) expect() { w.timer.Reset(viewWait) }

func (w *watch) rest() { w.timer.Stop() }

func (w *watch) end() {
	w.rest()
	w.cancel()
}

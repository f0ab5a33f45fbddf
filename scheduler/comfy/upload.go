package comfy

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"time"

	"reckoner/scheduler/job"
)

// uploadRate is the slowest connection that is waited for, in bytes a second.
const uploadRate = 64 << 10

// Upload puts a file into the server's folder of inputs and gives the name under
// which a workflow finds it there: of the same name with other content the
// server makes another one. The same content under the same name is kept once,
// so uploading again after a lost answer does no harm.
func (c *Client) Upload(ctx context.Context, name string, content []byte) (string, error) {
	q := call{
		method: http.MethodPost, path: "/upload/image", form: newForm(name, content), limit: smallAnswer,
		within: submitWait + time.Duration(len(content)/uploadRate)*time.Second,
	}
	raw, a, err := c.ask(ctx, q)
	if err != nil {
		return "", err
	}
	o, _ := asObject(raw)
	kept := o.text("name")
	if kept == "" || len(kept) > maxName {
		return "", c.answered(job.ErrBadReply, q, a)
	}
	return path.Join(o.text("subfolder"), kept), nil
}

// Has tells whether the server has a file, without reading it.
func (c *Client) Has(ctx context.Context, ref job.OutputRef) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, readWait)
	defer cancel()
	body, _, err := c.View(ctx, ref, 0)
	if job.CodeOf(err) == job.ErrNoSuchFile {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_ = body.Close() // it is there; what it holds is not asked
	return true, nil
}

// form is a request body with one file, as POST /upload/image takes it. The
// file's content is not copied.
type form struct {
	kind   string
	pieces [][]byte
}

// boundary parts the form; a content that holds it gets another one.
const boundary = "reckoner-7f5b1d0a9c3e4f62"

func newForm(name string, content []byte) *form {
	between := boundary
	for n := 0; bytes.Contains(content, []byte(between)); n++ {
		between = fmt.Sprintf("%s-%d", boundary, n)
	}
	quoted := strings.NewReplacer(`\`, "_", `"`, "_", "\r", "_", "\n", "_").Replace(name)
	head := fmt.Sprintf("--%s\r\nContent-Disposition: form-data; name=\"type\"\r\n\r\ninput\r\n"+
		"--%[1]s\r\nContent-Disposition: form-data; name=\"image\"; filename=\"%s\"\r\n"+
		"Content-Type: application/octet-stream\r\n\r\n", between, quoted)
	return &form{
		kind:   "multipart/form-data; boundary=" + between,
		pieces: [][]byte{[]byte(head), content, []byte("\r\n--" + between + "--\r\n")},
	}
}

func (f *form) size() int64 {
	var n int64
	for _, p := range f.pieces {
		n += int64(len(p))
	}
	return n
}

func (f *form) reader() io.Reader {
	readers := make([]io.Reader, len(f.pieces))
	for i, p := range f.pieces {
		readers[i] = bytes.NewReader(p)
	}
	return io.MultiReader(readers...)
}

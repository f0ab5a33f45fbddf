package comfy

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"reckoner/scheduler/job"
)

var picture = job.OutputRef{Filename: "测试 (1)#%.png", Subfolder: `a\b`, Type: "temp"}

func TestAFileIsReadFromAnOffsetOn(t *testing.T) {
	content := []byte("0123456789")
	ranges := func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if q.Get("filename") != picture.Filename || q.Get("subfolder") != picture.Subfolder || q.Get("type") != "temp" {
			t.Errorf("asked for %v", q)
		}
		http.ServeContent(w, r, "x.png", time.Time{}, bytes.NewReader(content))
	}
	whole := says(200, "image/png", string(content)) // ignores ranges
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		offset int64
		want   string
		code   string
	}{
		{"whole", ranges, 0, "0123456789", ""},
		{"from the middle", ranges, 4, "456789", ""},
		{"from the middle, without ranges", whole, 4, "456789", ""},
		{"past the end", ranges, 11, "", job.ErrBadReply},
		{"past the end, without ranges", whole, 11, "", job.ErrBadReply},
		{"gone", says(404, "", ""), 0, "", job.ErrNoSuchFile},
		{"a name that leaves the folder", says(400, "", ""), 0, "", job.ErrNoSuchFile},
		{"a subfolder that leaves the folder", says(403, "", ""), 0, "", job.ErrNoSuchFile},
		{"no login", says(403, "text/plain", "who are you"), 0, "", job.ErrLogin},
		{"a page", says(200, "text/html; charset=utf-8", page), 0, "", job.ErrNotComfy},
		{"a gateway's page", says(502, "text/html", page), 0, "", job.ErrServerFault},
		{"to the login page", redirects("/login?next=view"), 0, "", job.ErrLogin},
		{"to another scheme", redirects("ftp://elsewhere/x"), 0, "", job.ErrNotComfy},
		{"another range", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", "bytes 0-9/10")
			w.WriteHeader(http.StatusPartialContent)
		}, 4, "", job.ErrBadReply},
	} {
		s := scripted(t, c.answer)
		body, total, err := newTest(t, Options{URL: s.URL}).View(t.Context(), picture, c.offset)
		if job.CodeOf(err) != c.code {
			t.Errorf("%s: %v", c.name, err)
		}
		if err != nil {
			continue
		}
		got, err := io.ReadAll(body)
		if err != nil || string(got) != c.want || total != 10 {
			t.Errorf("%s: %q of %d, %v", c.name, got, total, err)
		}
		if err := body.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAFileThatEndsTooEarlyIsShort(t *testing.T) {
	s := scripted(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "only this")
	})
	body, total, err := newTest(t, Options{URL: s.URL}).View(t.Context(), picture, 0)
	if err != nil || total != 100 {
		t.Fatal(total, err)
	}
	defer func() { _ = body.Close() }()
	if got, err := io.ReadAll(body); string(got) != "only this" || job.CodeOf(err) != job.ErrShortFile {
		t.Errorf("%q, %v", got, err)
	}
}

func TestAFileThatStopsComingIsGivenUpButASlowOneIsNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial := pipe(func(conn net.Conn) {
			defer func() { _ = conn.Close() }()
			if _, err := conn.Read(make([]byte, 4096)); err != nil {
				t.Error(err)
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
			for range 5 { // slower than any deadline for the whole
				time.Sleep(viewWait - time.Second)
				_, _ = io.WriteString(conn, "x")
			}
			_, _ = io.Copy(io.Discard, conn)
		})
		client := newTest(t, Options{URL: "http://gpu-1", Dial: dial})
		bare := ""
		client.prefix = &bare
		body, _, err := client.View(t.Context(), picture, 0)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(body)
		if string(got) != "xxxxx" || job.CodeOf(err) != job.ErrBusy {
			t.Errorf("%q, %v", got, err)
		}
		if err := body.Close(); err != nil {
			t.Error(err)
		}
	})
}

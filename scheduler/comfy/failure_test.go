package comfy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"reckoner/scheduler/job"
)

// scripted answers everything alike, but says that it is ComfyUI first.
func scripted(t *testing.T, answer http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && r.URL.Path == "/api/prompt" {
			_, _ = io.WriteString(w, `{"exec_info":{"queue_remaining":0}}`)
			return
		}
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func says(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func redirects(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	}
}

const page = "<!DOCTYPE html><html><head><title>Just a\n moment</title></head><body>x</body></html>"

// TestEachKindOfAnswerHasItsCode asks the queue and submits a prompt to servers
// and proxies in bad moods.
func TestEachKindOfAnswerHasItsCode(t *testing.T) {
	const (
		text = "text/plain; charset=utf-8"
		html = "text/html"
		js   = "application/json; charset=utf-8"
	)
	for _, c := range []struct {
		name          string
		answer        http.HandlerFunc
		queue, submit string // codes
		detail        string // in the queue's error
	}{
		{"a login page with 200", says(200, html, page), job.ErrNotComfy, job.ErrNotComfy, "Just a moment"},
		{"a page that calls itself JSON", says(200, js, page), job.ErrNotComfy, job.ErrNotComfy, "Just a moment"},
		{"the origin check", says(403, "", ""), job.ErrOrigin, job.ErrOrigin, ""},
		{"forbidden", says(403, html, page), job.ErrLogin, job.ErrLogin, ""},
		{"no login", says(401, text, "Unauthorized"), job.ErrLogin, job.ErrLogin, "Unauthorized"},
		{"to the login page", redirects("/login?next=hidden-token"), job.ErrLogin, job.ErrLogin, "redirect to /login"},
		{"to a login elsewhere", redirects("https://sso.test/x?next=hidden-token"), job.ErrLogin, job.ErrLogin, "https://sso.test/x"},
		{"moved", redirects("/comfy/?next=hidden-token"), job.ErrNotComfy, job.ErrNotComfy, "redirect to /comfy/"},
		{"no such route", says(404, text, "404: Not Found"), job.ErrNotComfy, job.ErrNotComfy, ""},
		{"method not allowed", says(405, text, "405: Method Not Allowed"), job.ErrNotComfy, job.ErrNotComfy, ""},
		{"too large, from ComfyUI", says(413, text, "Maximum request body size"), job.ErrTooLarge, job.ErrTooLarge, ""},
		{"too large, from nginx", says(413, html, page), job.ErrTooLarge, job.ErrTooLarge, "Just a moment"},
		{"busy", says(429, text, "slow down"), job.ErrBusy, job.ErrBusy, ""},
		{
			"a fault of ComfyUI", says(500, text, "500 Internal Server Error\n\nServer got itself in trouble"),
			job.ErrServerFault, job.ErrServerFault, "got itself in trouble",
		},
		{"nginx before a dead server", says(502, html, page), job.ErrServerFault, job.ErrOutcomeUnknown, "Just a moment"},
		{"not available", says(503, html, page), job.ErrServerFault, job.ErrServerFault, ""},
		{"a gateway lost patience", says(504, html, page), job.ErrServerFault, job.ErrOutcomeUnknown, ""},
		{"Cloudflare lost patience", says(524, html, page), job.ErrServerFault, job.ErrOutcomeUnknown, ""},
		{"a page with 400", says(400, html, page), job.ErrNotComfy, job.ErrNotComfy, ""},
		{"400 in other words", says(400, js, `{"detail":"no"}`), job.ErrBadReply, job.ErrBadReply, ""},
		{"half of an answer", says(200, js, `{"queue_running":[`), job.ErrBadReply, job.ErrOutcomeUnknown, ""},
		{"nothing with 200", says(200, js, ``), job.ErrBadReply, job.ErrOutcomeUnknown, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scripted(t, c.answer)
			client := newTest(t, Options{URL: s.URL})
			_, err := client.Queue(t.Context())
			var e *job.Error
			if !errors.As(err, &e) || e.Code != c.queue || !strings.Contains(e.Args.Detail, c.detail) {
				t.Errorf("queue: %v", err)
			} else if e.Args.Server != s.URL || strings.Contains(err.Error(), "hidden-token") {
				t.Errorf("queue: %+v", e.Args)
			}
			if _, err := client.Submit(t.Context(), submissionOf(sample)); job.CodeOf(err) != c.submit {
				t.Errorf("submit: %v", err)
			}
		})
	}
}

func submissionOf(graph string) job.Submission {
	return job.Submission{
		Graph: job.Graph{Raw: []byte(graph)}, PromptID: "0e0fa4ae-3f0b-4ecb-9d0c-6a0f2c5f5f1d", ClientID: "me",
		Tag: job.Tag{Job: "j", Run: "r", App: "a"},
	}
}

func TestARedirectToAnotherHostIsNotFollowed(t *testing.T) {
	visited := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visited = true }))
	defer other.Close()
	s := scripted(t, redirects(other.URL+"/moved"))
	client := newTest(t, Options{URL: s.URL, Header: http.Header{"X-Api-Key": {"hidden-key"}}})
	if _, err := client.Queue(t.Context()); job.CodeOf(err) != job.ErrNotComfy || !strings.Contains(err.Error(), other.URL) {
		t.Error(err)
	}
	if visited {
		t.Error("the other host was asked")
	}
}

func TestARedirectToHTTPSSaysSo(t *testing.T) {
	s := scripted(t, func(w http.ResponseWriter, r *http.Request) { redirects("https://"+r.Host+r.URL.Path)(w, r) })
	_, err := newTest(t, Options{URL: s.URL}).Queue(t.Context())
	if job.CodeOf(err) != job.ErrNotComfy || !strings.Contains(err.Error(), "wants https") {
		t.Error(err)
	}
}

func TestWhenNobodyListensNothingWasSent(t *testing.T) {
	s := httptest.NewServer(nil)
	s.Close()
	client := newTest(t, Options{URL: s.URL})
	_, err := client.Probe(t.Context())
	if job.CodeOf(err) != job.ErrUnreachable || !strings.Contains(err.Error(), "refused") {
		t.Errorf("probe: %v", err)
	}
	if _, err := client.Submit(t.Context(), submissionOf(sample)); job.CodeOf(err) != job.ErrUnreachable {
		t.Errorf("submit: %v", err)
	}
}

func TestAnUntrustedCertificateIsSaid(t *testing.T) {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.StartTLS()
	defer s.Close()
	if _, err := newTest(t, Options{URL: s.URL}).Queue(t.Context()); job.CodeOf(err) != job.ErrTLS {
		t.Error(err)
	}
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	https := strings.Replace(plain.URL, "http:", "https:", 1)
	if _, err := newTest(t, Options{URL: https}).Queue(t.Context()); job.CodeOf(err) != job.ErrTLS {
		t.Error(err)
	}
}

// pipe gives a dialer whose connections end at a handler in this process.
func pipe(handle func(net.Conn)) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go handle(theirs)
		return ours, nil
	}
}

// TestAServerThatDoesNotAnswerIsBusy has a server that reads requests and never
// says a word.
func TestAServerThatDoesNotAnswerIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial := pipe(func(conn net.Conn) {
			_, _ = io.Copy(io.Discard, conn)
			_ = conn.Close()
		})
		client := newTest(t, Options{URL: "http://gpu-1", Dial: dial})
		bare := ""
		client.prefix = &bare
		began := time.Now()
		_, err := client.Queue(t.Context())
		if job.CodeOf(err) != job.ErrBusy || time.Since(began) != readWait {
			t.Errorf("queue after %v: %v", time.Since(began), err)
		}
		began = time.Now()
		_, err = client.Submit(t.Context(), submissionOf(sample))
		if job.CodeOf(err) != job.ErrOutcomeUnknown || time.Since(began) != submitWait {
			t.Errorf("submit after %v: %v", time.Since(began), err)
		}
		// The caller's own end shows in the chain.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err = client.Queue(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("queue: %v", err)
		}
	})
}

func TestAConnectionThatCannotBeMadeInTimeSentNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newTest(t, Options{URL: "http://gpu-1", Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}})
		if _, err := client.Submit(t.Context(), submissionOf(sample)); job.CodeOf(err) != job.ErrUnreachable {
			t.Error(err)
		}
	})
}

func TestALostReplyLeavesTheOutcomeOpen(t *testing.T) {
	breaks := func(after string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body)
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(conn, after)
			_ = conn.Close()
		}
	}
	for name, after := range map[string]string{
		"before the answer": "", "in the answer's head": "HTTP/1.1 200 O",
		"in the answer's body": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"prompt_id\":",
	} {
		s := scripted(t, breaks(after))
		client := newTest(t, Options{URL: s.URL})
		if _, err := client.Submit(t.Context(), submissionOf(sample)); job.CodeOf(err) != job.ErrOutcomeUnknown {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := client.Queue(t.Context()); job.CodeOf(err) != job.ErrBusy {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnAnswerOverTheBoundIsNotRead(t *testing.T) {
	s := scripted(t, func(w http.ResponseWriter, _ *http.Request) {
		junk := bytes.Repeat([]byte(" "), 1<<20)
		for range 100 {
			if _, err := w.Write(junk); err != nil {
				return
			}
		}
	})
	client := newTest(t, Options{URL: s.URL})
	if _, err := client.Stats(t.Context()); job.CodeOf(err) != job.ErrTooLarge {
		t.Errorf("stats: %v", err)
	}
	if _, err := client.Submit(t.Context(), submissionOf(sample)); job.CodeOf(err) != job.ErrOutcomeUnknown {
		t.Errorf("submit: %v", err)
	}
}

// TestSecretsAreSentAndNeverTold reads every error and log line of a client
// whose server repeats the secrets to it.
func TestSecretsAreSentAndNeverTold(t *testing.T) {
	var logged bytes.Buffer
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		if password != "sesame" || r.URL.Query().Get("token") != "tok-en" || r.Header.Get("X-Key") != "hidden-key" {
			t.Errorf("%s came without: %v", r.URL.Path, r.Header)
		}
		http.Error(w, "no: sesame tok-en hidden-key", http.StatusUnauthorized)
	}))
	client := newTest(t, Options{
		URL:    strings.Replace(s.URL, "http://", "http://me:sesame@", 1) + "?token=tok-en",
		Header: http.Header{"X-Key": {"hidden-key"}},
		Log:    slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	var told strings.Builder
	collect := func() {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := client.Queue(ctx)
		told.WriteString(err.Error())
		client.Listen(ctx, "me", func(n job.News) {
			told.WriteString(n.Err.Error())
			cancel()
		})
	}
	collect()
	s.Close()
	collect()
	told.WriteString(client.URL())
	told.Write(logged.Bytes())
	for _, secret := range []string{"sesame", "tok-en", "hidden-key"} {
		if strings.Contains(told.String(), secret) {
			t.Errorf("%s was told: %s", secret, told.String())
		}
	}
	if strings.Contains(told.String(), "token=") {
		t.Errorf("a URL with its query was told: %s", told.String())
	}
	if !strings.Contains(told.String(), "***") || !strings.Contains(told.String(), "refused") {
		t.Errorf("nothing of interest was told: %s", told.String())
	}
}

package comfy

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"reckoner/scheduler/job"
	"reckoner/scheduler/remote"
)

// guarded is a ComfyUI that lets only those in whose request satisfies a check,
// on HTTP and on the websocket.
func guarded(t *testing.T, check func(*http.Request) bool) http.Handler {
	t.Helper()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !check(r):
			http.Error(w, "who are you", http.StatusUnauthorized)
		case r.URL.Path == "/ws":
			conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
			if err == nil {
				_, _, _ = conn.ReadMessage()
				_ = conn.Close()
			}
		case r.URL.Path == "/api/prompt":
			_, _ = io.WriteString(w, `{"exec_info":{"queue_remaining":0}}`)
		default:
			_, _ = io.WriteString(w, `{"queue_running":[],"queue_pending":[]}`)
		}
	})
}

// bothWays asks over HTTP and opens a websocket, and gives their errors.
func bothWays(t *testing.T, c *Client) (asked, listened error) {
	t.Helper()
	_, asked = c.Queue(t.Context())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c.Listen(ctx, "me", func(n job.News) {
		if n.Kind == job.NewsDown {
			listened = n.Err
		}
		cancel()
	})
	return asked, listened
}

func TestWhatOpensAServerIsSentOnHTTPAndWebsocket(t *testing.T) {
	for name, c := range map[string]struct {
		user, query string
		header      http.Header
		check       func(*http.Request) bool
	}{
		"basic": {user: "me:sesame@", check: func(r *http.Request) bool {
			user, password, _ := r.BasicAuth()
			return user == "me" && password == "sesame"
		}},
		"bearer": {header: http.Header{"Authorization": {"Bearer tok-en"}}, check: func(r *http.Request) bool {
			return r.Header.Get("Authorization") == "Bearer tok-en"
		}},
		"headers": {header: http.Header{"Cf-Access-Client-Id": {"a"}, "Cf-Access-Client-Secret": {"hidden"}}, check: func(
			r *http.Request,
		) bool {
			return r.Header.Get("Cf-Access-Client-Id") == "a" && r.Header.Get("Cf-Access-Client-Secret") == "hidden"
		}},
		"query": {query: "?token=tok-en", check: func(r *http.Request) bool {
			return r.URL.Query().Get("token") == "tok-en"
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(guarded(t, c.check))
			defer s.Close()
			address := strings.Replace(s.URL, "http://", "http://"+c.user, 1) + c.query
			asked, listened := bothWays(t, newTest(t, Options{URL: address, Header: c.header}))
			if asked != nil || listened != nil {
				t.Errorf("with it: %v, %v", asked, listened)
			}
			asked, listened = bothWays(t, newTest(t, Options{URL: s.URL}))
			if job.CodeOf(asked) != job.ErrLogin || job.CodeOf(listened) != job.ErrLogin {
				t.Errorf("without it: %v, %v", asked, listened)
			}
		})
	}
}

// Given a keyring that is locked at first, then nothing is sent until it opens,
// and then everything is.
func TestWhatOpensAServerMayComeLate(t *testing.T) {
	s := httptest.NewServer(guarded(t, func(r *http.Request) bool {
		user, password, _ := r.BasicAuth()
		if password == "" {
			t.Error("asked without a password")
		}
		return user == "me" && password == "sesame" && r.URL.Query().Get("key") == "que-ry" && r.Header.Get("X-A") == "b"
	}))
	defer s.Close()
	locked := true
	client := newTest(t, Options{URL: s.URL, Access: func(context.Context) (Access, error) {
		if locked {
			return Access{}, errors.New("the keyring is locked")
		}
		return Access{
			User: "me", Password: "sesame", Query: url.Values{"key": {"que-ry"}}, Header: http.Header{"X-A": {"b"}},
		}, nil
	}})
	asked, listened := bothWays(t, client)
	if job.CodeOf(asked) != job.ErrKeyring || job.CodeOf(listened) != job.ErrKeyring {
		t.Errorf("locked: %v, %v", asked, listened)
	}
	if _, err := client.Submit(t.Context(), submissionOf(sample)); job.CodeOf(err) != job.ErrKeyring {
		t.Errorf("locked: %v", err)
	}
	locked = false
	if asked, listened = bothWays(t, client); asked != nil || listened != nil {
		t.Errorf("unlocked: %v, %v", asked, listened)
	}
	if client.scrub("sesame que-ry") != "*** ***" {
		t.Error("it would be told")
	}
}

// TestACertificateIsAcceptedByItsFingerprint takes the fingerprint out of the
// error, as a person would who compares it.
func TestACertificateIsAcceptedByItsFingerprint(t *testing.T) {
	s := httptest.NewUnstartedServer(guarded(t, func(*http.Request) bool { return true }))
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.StartTLS()
	defer s.Close()
	asked, listened := bothWays(t, newTest(t, Options{URL: s.URL}))
	shown := ""
	for _, err := range []error{asked, listened} {
		e, ok := errors.AsType[*job.Error](err)
		if !ok || e.Code != job.ErrTLS || len(e.Args.Fingerprint) != 95 {
			t.Fatalf("%+v", err)
		}
		shown = e.Args.Fingerprint
	}
	sum := sha256.Sum256(s.Certificate().Raw)
	for _, pin := range []string{shown, hex.EncodeToString(sum[:]), "SHA-256: " + shown} {
		asked, listened = bothWays(t, newTest(t, Options{URL: s.URL, Pins: []string{pin}}))
		if asked != nil || listened != nil {
			t.Errorf("pinned by %q: %v, %v", pin, asked, listened)
		}
	}
	other := strings.Repeat("00", sha256.Size)
	if asked, _ = bothWays(t, newTest(t, Options{URL: s.URL, Pins: []string{other}})); job.CodeOf(asked) != job.ErrTLS {
		t.Errorf("another certificate was pinned: %v", asked)
	}
	for _, bad := range []string{"", "AB:CD", strings.Repeat("xy", sha256.Size)} {
		if _, err := New(Options{URL: s.URL, Pins: []string{bad}}); err == nil {
			t.Errorf("%q is taken as a fingerprint", bad)
		}
	}
}

// Given a certificate whose authority this computer trusts, then it counts for
// the names in it, and for addresses too, which TLS does not tell the server.
func TestACertificateCountsForItsNamesOnly(t *testing.T) {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	chain := []*x509.Certificate{s.Certificate()}
	for name, want := range map[string]string{
		"127.0.0.1": "unknown authority", "example.com": "unknown authority", // its own authority signed it
		"10.0.0.7": "10.0.0.7", "gpu-1": "gpu-1",
	} {
		if err := verify(chain, name, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for base, told := range map[string]string{"https://10.0.0.7:8188": "", "https://gpu-1": "gpu-1"} {
		conf, err := trust(base, nil)
		if err != nil {
			t.Fatal(err)
		}
		state := tls.ConnectionState{ServerName: told, PeerCertificates: chain}
		host := hostOnly(strings.TrimPrefix(base, "https://"))
		if err := conf.VerifyConnection(state); err == nil || !strings.Contains(err.Error(), host) {
			t.Errorf("%s: %v", base, err)
		}
	}
	if err := verify(nil, "gpu-1", nil); err == nil {
		t.Error("no certificate is trusted")
	}
}

// Given a proxy, then HTTP and the websocket go through it.
func TestAProxyIsUsedForBoth(t *testing.T) {
	s := httptest.NewServer(guarded(t, func(*http.Request) bool { return true }))
	defer s.Close()
	through := make(chan string, 10)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		through <- r.Method
		if r.Method != http.MethodConnect {
			_, _ = io.WriteString(w, `{"exec_info":{"queue_remaining":0},"queue_running":[],"queue_pending":[]}`)
			return
		}
		far, err := net.Dial("tcp", r.Host)
		if err != nil {
			t.Error(err)
			return
		}
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n")
		go func() { _, _ = io.Copy(far, conn); _ = far.Close() }()
		_, _ = io.Copy(conn, far)
		_ = conn.Close()
	}))
	defer proxy.Close()
	at, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	asked, listened := bothWays(t, newTest(t, Options{URL: s.URL, Proxy: http.ProxyURL(at)}))
	if asked != nil || listened != nil {
		t.Errorf("%v, %v", asked, listened)
	}
	if first, second, third := <-through, <-through, <-through; first != "GET" || second != "GET" || third != "CONNECT" {
		t.Errorf("through the proxy went %s, %s, %s", first, second, third)
	}
}

// Given a server that keeps its files on another host (Comfy Cloud), then the
// file is fetched there, and nothing that opens the server goes along.
func TestAFileOnAnotherHostIsFetchedWithoutWhatOpensTheServer(t *testing.T) {
	var asked []string
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var all bytes.Buffer
		if err := r.Write(&all); err != nil {
			t.Error(err)
		}
		asked = append(asked, all.String())
		switch r.URL.Path {
		case "/page":
			says(200, "text/html", page)(w, r)
		case "/gone":
			says(403, "application/xml", "<Error><Code>AccessDenied</Code></Error>")(w, r)
		default:
			http.ServeContent(w, r, "x.png", time.Time{}, strings.NewReader("0123456789"))
		}
	}))
	defer store.Close()
	for path, want := range map[string]string{"/file": "", "/page": job.ErrLogin, "/gone": job.ErrNoSuchFile} {
		asked = nil
		s := scripted(t, redirects(store.URL+path+"?signature=opens-it"))
		address := strings.Replace(s.URL, "http://", "http://me:sesame@", 1) + "?token=tok-en"
		client := newTest(t, Options{URL: address, Header: http.Header{"X-Api-Key": {"hidden-key"}}})
		body, total, err := client.View(t.Context(), picture, 4)
		if job.CodeOf(err) != want {
			t.Errorf("%s: %v", path, err)
		}
		if err == nil {
			got, readErr := io.ReadAll(body)
			if readErr != nil || string(got) != "456789" || total != 10 {
				t.Errorf("%q of %d, %v", got, total, readErr)
			}
			_ = body.Close()
		} else if strings.Contains(err.Error(), "opens-it") || strings.Count(err.Error(), "/view") != 1 {
			t.Errorf("%s: the error says %v", path, err)
		}
		if len(asked) != 1 || !strings.Contains(asked[0], "signature=opens-it") || !strings.Contains(asked[0], "bytes=4-") {
			t.Errorf("%s: asked %q", path, asked)
		}
		for _, secret := range []string{"sesame", "bWU6c2VzYW1l", "tok-en", "hidden-key", "Authorization", "Referer"} {
			if strings.Contains(strings.Join(asked, ""), secret) {
				t.Errorf("%s: %s was sent on: %q", path, secret, asked)
			}
		}
	}
}

// TestAHandshakeWithoutEndIsNotRead floods the head of the websocket's answer.
func TestAHandshakeWithoutEndIsNotRead(t *testing.T) {
	read := 0
	client := newTest(t, Options{URL: "http://gpu-1", Dial: pipe(func(conn net.Conn) {
		defer func() { _ = conn.Close() }()
		_, _ = conn.Read(make([]byte, 4096))
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\n")
		line := []byte("X-More: " + strings.Repeat("x", 8000) + "\r\n")
		for read < 64<<20 {
			n, err := conn.Write(line)
			read += n
			if err != nil {
				return
			}
		}
	})})
	ctx, cancel := context.WithCancel(t.Context())
	var down *job.Error
	client.Listen(ctx, "me", func(n job.News) { down = n.Err; cancel() })
	if down == nil || !strings.Contains(down.Error(), errLongHead.Error()) {
		t.Errorf("%v", down)
	}
}

// TestMemoryStaysFlatWhileALargeFileComes reads a file that is made as it goes
// out.
func TestMemoryStaysFlatWhileALargeFileComes(t *testing.T) {
	const size = 256 << 20
	s := scripted(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "268435456")
		piece := make([]byte, 1<<20)
		for range size / len(piece) {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	})
	client := newTest(t, Options{URL: s.URL})
	body, total, err := client.View(t.Context(), picture, 0)
	if err != nil || total != size {
		t.Fatal(total, err)
	}
	defer func() { _ = body.Close() }()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{body}, make([]byte, 256<<10))
	runtime.ReadMemStats(&after)
	if err != nil || n != size {
		t.Fatalf("%d bytes, %v", n, err)
	}
	// All that was allocated meanwhile, by both ends, whether it was freed or not.
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 8<<20 {
		t.Errorf("%d bytes were allocated for %d", grown, n)
	}
}

// Given an address behind ssh, then what ssh says is the reason that is given,
// under the address as it is shown, and ssh ends with the client.
func TestWhatSSHSaysIsTheReason(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	const words = "debug1: Server host key: ssh-ed25519 SHA256:abc\nHost key verification failed."
	client := newTest(t, Options{URL: "ssh:me@gpu-1:22/8000", SSH: remote.Options{
		Command: func(ctx context.Context, _ string, _ ...string) *exec.Cmd {
			return exec.CommandContext(ctx, "sh", "-c", "echo '"+words+"' >&2; exit 255")
		},
	}})
	asked, listened := bothWays(t, client)
	_, sent := client.Submit(t.Context(), submissionOf(sample))
	for _, err := range []error{asked, listened, sent} {
		e, ok := errors.AsType[*job.Error](err)
		if !ok || e.Code != job.ErrHostKey || e.Args.Fingerprint != "ssh-ed25519 SHA256:abc" ||
			e.Args.Server != "ssh:me@gpu-1:22/8000" {
			t.Errorf("%+v", err)
		}
	}
	if _, err := New(Options{URL: "ssh:-oProxyCommand=x"}); err == nil {
		t.Error("an option of ssh is taken as a host")
	}
}

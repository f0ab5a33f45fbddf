package comfy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"reckoner/scheduler/job"
)

// pipeListener hands the far ends of pipes to an http.Server.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

func (l *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.conns <- theirs:
		return ours, nil
	case <-l.done:
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// hall is a server of websockets in the test's own time, and a client that
// listens to it.
type hall struct {
	t      *testing.T
	ln     *pipeListener
	client *Client
	cancel context.CancelFunc
	began  time.Time
	gone   chan struct{} // Listen returned

	mu   sync.Mutex
	news []string // kinds, each with the second in which it came
	last job.News
}

// newHall serves each socket by serve, after the first frame was read, and
// listens. after is called in the listener's goroutine for each news.
func newHall(t *testing.T, serve func(*websocket.Conn), after func(job.News)) *hall {
	t.Helper()
	up := websocket.Upgrader{}
	return newHallWith(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/base/ws" || r.URL.Query().Get("clientId") != "me" || r.Header.Get("Origin") != "" {
			t.Errorf("asked for %s with %v", r.URL, r.Header)
		}
		conn, err := up.Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = conn.Close() }()
		if _, first, err := conn.ReadMessage(); err != nil || string(first) != hello {
			t.Errorf("first frame %q, %v", first, err)
		}
		serve(conn)
	}, after)
}

func newHallWith(t *testing.T, handle http.HandlerFunc, after func(job.News)) *hall {
	t.Helper()
	h := &hall{
		t: t, ln: &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})},
		began: time.Now(), gone: make(chan struct{}),
	}
	server := &http.Server{Handler: handle, ReadHeaderTimeout: time.Minute}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(h.ln) // ends with the test
	}()
	ctx, cancel := context.WithCancel(t.Context())
	h.cancel = cancel
	h.client = newTest(t, Options{URL: "http://gpu-1/base", Dial: h.ln.dial, Random: func() float64 { return 0.5 }})
	go func() {
		defer close(h.gone)
		h.client.Listen(ctx, "me", func(n job.News) {
			h.mu.Lock()
			h.news = append(h.news, fmt.Sprintf("%s@%d", n.Kind, int(time.Since(h.began).Seconds())))
			h.last = n
			h.mu.Unlock()
			if after != nil {
				after(n)
			}
		})
	}()
	t.Cleanup(func() {
		cancel()
		<-h.gone
		_ = server.Close()
		<-served
	})
	return h
}

func (h *hall) heard() string {
	synctest.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.news, " ")
}

// attend answers pings and the closing handshake until the socket ends.
func attend(conn *websocket.Conn) {
	for {
		if _, _, err := conn.ReadMessage(); err != nil {
			return
		}
	}
}

func TestAQuietSocketIsKeptAliveByPings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pings := 0
		h := newHall(t, func(conn *websocket.Conn) {
			answer := conn.PingHandler()
			conn.SetPingHandler(func(s string) error { pings++; return answer(s) })
			attend(conn)
		}, nil)
		time.Sleep(5*time.Minute + time.Second)
		if got := h.heard(); got != "up@0" || pings != 15 {
			t.Errorf("%s, %d pings", got, pings)
		}
	})
}

func TestASocketThatIsCutEachMinuteComesBackAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHall(t, func(conn *websocket.Conn) {
			left := make(chan struct{})
			go func() {
				defer close(left)
				attend(conn)
			}()
			select {
			case <-left:
			case <-time.After(time.Minute):
			}
			_ = conn.UnderlyingConn().Close()
		}, nil)
		h.client.mu.Lock()
		h.client.can = &capabilities{targetedInterrupt: true}
		h.client.mu.Unlock()
		time.Sleep(4 * time.Minute)
		if got := h.heard(); got != "up@0 down@60 up@61 down@121 up@122 down@182 up@183" {
			t.Error(got)
		}
		h.client.mu.Lock()
		defer h.client.mu.Unlock()
		if h.client.can != nil {
			t.Error("what another process may be unable to do is still trusted")
		}
	})
}

// TestASilentSocketIsLeftAndItsIDRests has a server that stops reading, as
// behind a half-open connection. Its clean-up of the old socket would silence a
// new one with the same id.
func TestASilentSocketIsLeftAndItsIDRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := make(chan struct{})
		h := newHall(t, func(*websocket.Conn) { <-stop }, nil)
		time.Sleep(100 * time.Second)
		if got := h.heard(); got != "up@0 down@60 up@90" {
			t.Error(got)
		}
		close(stop)
	})
}

func TestAServerThatIsAwayIsTriedWithGrowingPausesAndSaidOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		attempts := 0
		h := newHallWith(t, func(w http.ResponseWriter, _ *http.Request) {
			if attempts++; attempts > 8 {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			http.Error(w, "404: Not Found", http.StatusNotFound)
		}, nil)
		time.Sleep(10 * time.Minute)
		// Pauses 1, 1.5, 3, 6, 12, 24, 45, 45 s; then another reason is another word.
		if got := h.heard(); got != "down@0 down@137" || attempts < 15 || attempts > 25 {
			t.Errorf("%s after %d attempts", got, attempts)
		}
		if h.last.Err == nil || h.last.Err.Code != job.ErrOrigin {
			t.Errorf("%v", h.last.Err)
		}
	})
}

func TestPausesStayBetweenASecondAndAMinute(t *testing.T) {
	for failures := range 100 {
		for _, random := range []float64{0, 0.5, 0.999} {
			if d := pause(failures, random); d < shortestPause || d > longestPause {
				t.Errorf("%d failures, %v: %v", failures, random, d)
			}
		}
	}
	if pause(99, 0) != longestPause/2 || pause(0, 0.999) != shortestPause {
		t.Error(pause(99, 0), pause(0, 0.999))
	}
}

func TestTheSocketIsClosedProperlyAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		farewell := make(chan error, 1)
		h := newHall(t, func(conn *websocket.Conn) {
			_, _, err := conn.ReadMessage()
			farewell <- err
		}, nil)
		time.Sleep(time.Second)
		began := time.Now()
		h.cancel()
		<-h.gone
		if err := <-farewell; !websocket.IsCloseError(err, websocket.CloseNormalClosure) || time.Since(began) > 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

func TestTheEndDoesNotWaitForADeafServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := make(chan struct{})
		h := newHall(t, func(*websocket.Conn) { <-stop }, nil)
		time.Sleep(time.Second)
		began := time.Now()
		h.cancel()
		<-h.gone
		if d := time.Since(began); d > 2*farewellWait {
			t.Errorf("waited %v", d)
		}
		close(stop)
	})
}

// TestASlowTakerDoesNotStopTheReader has whoever takes the news stuck. Writing
// to a pipe returns only when the other side reads, so a server that gets all
// written has a client that read all.
func TestASlowTakerDoesNotStopTheReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck, written := make(chan struct{}), make(chan struct{})
		var steps []float64
		h := newHall(t, func(conn *websocket.Conn) {
			say := func(format string, args ...any) {
				if err := conn.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, format, args...)); err != nil {
					t.Error(err)
				}
			}
			say(`{"type":"execution_start","data":{"prompt_id":"p"}}`)
			for i := range 5000 {
				say(`{"type":"progress","data":{"value":%d,"max":5000,"prompt_id":"p","node":"3"}}`, i)
			}
			say(`{"type":"execution_success","data":{"prompt_id":"p"}}`)
			say(`{"type":"executing","data":{"node":null,"prompt_id":"p"}}`)
			close(written)
			attend(conn)
		}, func(n job.News) {
			if n.Kind == job.NewsUp {
				<-stuck
			}
			if n.Kind == job.NewsStep {
				steps = append(steps, n.Value)
			}
		})
		<-written
		close(stuck)
		got := h.heard()
		// A first step may have been under way with the news that got stuck.
		if got = strings.Replace(got, "step@0 step@0", "step@0", 1); got != "up@0 started@0 step@0 ending@0 ended@0" {
			t.Error(got)
		}
		if len(steps) > 2 || steps[len(steps)-1] != 4999 {
			t.Errorf("steps %v", steps)
		}
		if h.last.Outcome != job.RunSucceeded {
			t.Errorf("%+v", h.last)
		}
	})
}

func TestAServerThatFloodsIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		h := newHall(t, func(conn *websocket.Conn) {
			for {
				frame := []byte(`{"type":"execution_start","data":{"prompt_id":"p"}}`)
				if conn.WriteMessage(websocket.TextMessage, frame) != nil {
					return
				}
			}
		}, func(n job.News) {
			if n.Kind == job.NewsUp {
				<-stuck
			}
		})
		time.Sleep(2 * farewellWait)
		close(stuck)
		got := h.heard()
		// Some may have been under way with the news that got stuck.
		if n := strings.Count(got, "started"); n < mailboxFull-1 || n > 2*mailboxFull || !strings.HasSuffix(got, " down@4") {
			t.Errorf("%d started, then %s", n, got[len(got)-20:])
		}
	})
}

func TestAHandshakeThatIsRefusedSaysWhy(t *testing.T) {
	for _, c := range []struct {
		status     int
		body, code string
	}{
		{403, "", job.ErrOrigin},
		{403, "who are you", job.ErrLogin},
		{401, "", job.ErrLogin},
		{302, "", job.ErrNotComfy},
		{400, "Can \"Upgrade\" only to \"WebSocket\".", job.ErrNotComfy},
		{426, "", job.ErrNotComfy},
		{200, page, job.ErrNotComfy},
		{502, page, job.ErrServerFault},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := newHallWith(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}, nil)
			if got := h.heard(); got != "down@0" || h.last.Err.Code != c.code {
				t.Errorf("%d %q: %s, %v", c.status, c.body, got, h.last.Err)
			}
		})
	}
}

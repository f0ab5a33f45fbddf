package comfy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"reckoner/scheduler/job"
)

// traceLine is one exchange or message of a recording.
type traceLine struct {
	Kind, Method, Path string
	Request, Reply     json.RawMessage
	Status             int
	Client             string
	Msg                json.RawMessage
}

func readTrace(t *testing.T, version, scenario string) []traceLine {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "traces", version, scenario+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var lines []traceLine
	scan := bufio.NewScanner(file)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		var l traceLine
		if err := json.Unmarshal(scan.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	if scan.Err() != nil || len(lines) == 0 {
		t.Fatalf("%d lines, %v", len(lines), scan.Err())
	}
	return lines
}

// player is a server that answers as it was recorded. The test tells it which
// line of the recording is being played.
type player struct {
	*httptest.Server
	t       *testing.T
	general map[string]traceLine // what any scenario may be asked: prompt, system_stats, features

	mu      sync.Mutex
	line    traceLine
	queue   json.RawMessage // what a look at the queue shows now
	bodies  []string        // what was posted for the line
	sockets map[string]*websocket.Conn
	joined  chan string
}

func newPlayer(t *testing.T, version string) *player {
	t.Helper()
	p := &player{
		t: t, general: map[string]traceLine{}, sockets: map[string]*websocket.Conn{}, joined: make(chan string, 8),
	}
	for _, l := range readTrace(t, version, "misc") {
		switch l.Path {
		case "/prompt", "/system_stats", "/features":
			p.general[l.Path] = l
		}
	}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.hangUp)
	return p
}

// hangUp ends the server; the sockets first, because it does not know them.
func (p *player) hangUp() {
	p.mu.Lock()
	for _, s := range p.sockets {
		_ = s.Close()
	}
	p.mu.Unlock()
	p.Close()
}

func (p *player) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/api")
	if path == "/ws" {
		p.join(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		p.t.Error(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	recorded, _, _ := strings.Cut(p.line.Path, "?")
	switch l, general := p.general[path], r.Method == http.MethodGet; {
	case r.Method == p.line.Method && path == recorded:
		p.bodies = append(p.bodies, string(body))
		reply(w, p.line.Status, p.line.Reply)
	case general && l.Path != "":
		reply(w, l.Status, l.Reply)
	case general && path == "/queue" && p.queue != nil:
		reply(w, http.StatusOK, p.queue)
	default:
		p.t.Errorf("%s %s is not what was recorded: %s %s", r.Method, path, p.line.Method, p.line.Path)
		w.WriteHeader(http.StatusTeapot)
	}
}

// reply sends what was recorded: JSON, or the text of what was none.
func reply(w http.ResponseWriter, status int, recorded json.RawMessage) {
	var text string
	if json.Unmarshal(recorded, &text) == nil {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		recorded = []byte(text)
	} else {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
	}
	w.WriteHeader(status)
	_, _ = w.Write(recorded) // a client that is gone shows in its own error
}

func (p *player) join(w http.ResponseWriter, r *http.Request) {
	up := websocket.Upgrader{}
	conn, err := up.Upgrade(w, r, nil)
	if err != nil {
		p.t.Error(err)
		return
	}
	_, first, err := conn.ReadMessage()
	if err != nil || !bytes.Contains(first, []byte("feature_flags")) {
		p.t.Errorf("first frame %q, %v", first, err)
	}
	id := r.URL.Query().Get("clientId")
	p.mu.Lock()
	p.sockets[id] = conn
	p.mu.Unlock()
	p.joined <- id
	for { // answers pings and the closing handshake
		if _, _, err := conn.ReadMessage(); err != nil {
			_ = conn.Close()
			return
		}
	}
}

func (p *player) say(client string, msg []byte) {
	p.t.Helper()
	p.mu.Lock()
	conn := p.sockets[client]
	p.mu.Unlock()
	if err := conn.WriteMessage(websocket.TextMessage, msg); err != nil {
		p.t.Fatal(err)
	}
}

// play sets the line that requests are answered from and gives back what was
// posted during it.
func (p *player) play(l traceLine, queue json.RawMessage, during func()) []string {
	p.mu.Lock()
	p.line, p.queue, p.bodies = l, queue, nil
	p.mu.Unlock()
	during()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bodies
}

// audience listens on a server's sockets and keeps what each heard.
type audience struct {
	t      *testing.T
	client *Client
	server *player
	ctx    context.Context //nolint:containedctx // of one test
	wait   sync.WaitGroup

	mu       sync.Mutex
	heard    map[string][]job.News
	caughtUp chan string
}

// lastWord is a queue length that no recording has: everything said before it
// was heard.
const lastWord = 424242

func (a *audience) listen(name string) {
	a.mu.Lock()
	_, known := a.heard[name]
	if !known {
		a.heard[name] = nil
	}
	a.mu.Unlock()
	if known {
		return
	}
	a.wait.Go(func() {
		a.client.Listen(a.ctx, name, func(n job.News) {
			if n.Kind == job.NewsStatus && n.Count == lastWord {
				a.caughtUp <- name
				return
			}
			a.mu.Lock()
			defer a.mu.Unlock()
			a.heard[name] = append(a.heard[name], n)
		})
	})
	if got := <-a.server.joined; got != name {
		a.t.Fatalf("socket %q opened, want %q", got, name)
	}
}

// catchUp waits until each socket has handed over all that it was told.
func (a *audience) catchUp() {
	a.mu.Lock()
	names := make([]string, 0, len(a.heard))
	for name := range a.heard {
		names = append(names, name)
	}
	a.mu.Unlock()
	for _, name := range names {
		a.server.say(name, []byte(`{"type":"status","data":{"status":{"exec_info":{"queue_remaining":424242}}}}`))
	}
	for range names {
		<-a.caughtUp
	}
}

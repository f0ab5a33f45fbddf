package sim

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// hub holds the websockets of a server by client id, and sends them the
// server's messages: one queue, one publisher, one send at a time. A reader
// that stops reading therefore stops the news of everybody, as on the real
// server; it can hold nothing else up.
type hub struct {
	mu      sync.Mutex
	sockets map[string]*socket
	all     map[*socket]bool // also those that lost their place in the table
	closed  bool
	queue   []message
	wake    chan struct{} // capacity 1
}

// message is a text message for one client id, or for all sockets.
type message struct {
	kind string
	data *object
	to   string
	all  bool
}

func (m message) bytes() []byte { return encode(obj("type", m.kind, "data", m.data)) }

// socket is one websocket. Its lock lets one message be written at a time.
type socket struct {
	sid   string
	conn  *websocket.Conn
	write sync.Mutex
}

func newHub() *hub {
	return &hub{sockets: map[string]*socket{}, all: map[*socket]bool{}, wake: make(chan struct{}, 1)}
}

// send puts a message for a client id into the queue. It never blocks.
func (h *hub) send(to, kind string, data *object) { h.put(message{kind: kind, data: data, to: to}) }

// broadcast puts a message for everybody into the queue.
func (h *hub) broadcast(kind string, data *object) {
	h.put(message{kind: kind, data: data, all: true})
}

func (h *hub) put(m message) {
	h.mu.Lock()
	h.queue = append(h.queue, m)
	h.mu.Unlock()
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// publish sends what is queued until the context ends.
func (h *hub) publish(ctx context.Context) {
	for ctx.Err() == nil {
		m, ok := h.take()
		if !ok {
			select {
			case <-h.wake:
				continue
			case <-ctx.Done():
				return
			}
		}
		audience := h.audience(m)
		if len(audience) == 0 {
			continue
		}
		text := m.bytes()
		for _, s := range audience {
			s.text(text) // a dead socket is its reader's affair
		}
	}
}

func (h *hub) take() (message, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.queue) == 0 {
		return message{}, false
	}
	m := h.queue[0]
	h.queue = h.queue[1:]
	return m, true
}

func (h *hub) audience(m message) []*socket {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []*socket
	for sid, s := range h.sockets {
		if m.all || sid == m.to {
			out = append(out, s)
		}
	}
	return out
}

func (s *socket) text(b []byte) {
	s.write.Lock()
	defer s.write.Unlock()
	if s.conn == nil {
		return // never opened
	}
	_ = s.conn.WriteMessage(websocket.TextMessage, b) // an error ends the reader, which clears up
}

// maxFrame is the largest frame that the server takes, aiohttp's default.
const maxFrame = 4 << 20

var upgrader = websocket.Upgrader{
	HandshakeTimeout: 10 * time.Second,
	CheckOrigin:      func(*http.Request) bool { return true }, // foreignOrigin has looked
}

// serveSocket runs a websocket until it ends. first are the messages that go
// out before anything from the queue.
func (h *hub) serveSocket(w http.ResponseWriter, r *http.Request, sid string, first func() []message, flags *object) {
	s := &socket{sid: sid}
	s.write.Lock()
	// The place in the table is taken before the handshake's answer can be read:
	// whoever has seen a socket open misses nothing from then on. The publisher
	// waits for the lock.
	before := h.enter(s, websocket.IsWebSocketUpgrade(r))
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil { // the upgrader has answered
		h.undo(s, before)
		s.write.Unlock()
		return
	}
	defer conn.Close()
	conn.SetReadLimit(maxFrame)
	h.mu.Lock()
	s.conn = conn
	h.all[s] = true
	closed := h.closed
	h.mu.Unlock()
	if closed {
		s.write.Unlock()
		return
	}
	for _, m := range first() {
		_ = conn.WriteMessage(websocket.TextMessage, m.bytes()) // an error shows at the next read
	}
	s.write.Unlock()
	s.read(flags)
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.all, s)
	// The real server's fault, kept: the id leaves the table whoever holds it
	// now, so a newer socket with this id hears nothing from here on.
	delete(h.sockets, sid)
}

// enter gives a socket the place of its id, and the socket that had it: a second
// one with the same id takes over from the first.
func (h *hub) enter(s *socket, opens bool) (before *socket) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before = h.sockets[s.sid]
	if opens {
		h.sockets[s.sid] = s
	}
	return before
}

// undo takes back enter for a socket that was never opened.
func (h *hub) undo(s, before *socket) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.sockets[s.sid] != s:
	case before != nil:
		h.sockets[s.sid] = before
	default:
		delete(h.sockets, s.sid)
	}
}

// read waits for the end of a socket. Only a first text frame with feature
// flags has a meaning, on servers that know of them.
func (s *socket) read(flags *object) {
	for first := true; ; first = false {
		kind, b, err := s.conn.ReadMessage()
		if err != nil {
			return
		}
		if !first || kind != websocket.TextMessage || flags == nil {
			continue
		}
		if v, err := decode(b); err == nil {
			if o, ok := v.(*object); ok && o.text("type") == "feature_flags" {
				s.text(message{kind: "feature_flags", data: flags}.bytes())
			}
		}
	}
}

// close cuts every socket, and those that still come.
func (h *hub) close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.drop()
}

// drop cuts every socket without a farewell.
func (h *hub) drop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.all {
		_ = s.conn.Close() // it is gone either way
	}
}

package sim

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// hub holds the websockets of a server by client id, and sends them the
// server's messages: one queue, one publisher, one send at a time. A reader
// that stops reading therefore stops the news of everybody, as on the real
// server; it can hold nothing else up.
type hub struct {
	srv     *Server
	mu      sync.Mutex
	sockets map[string]*socket
	all     map[*socket]bool // also those that lost their place in the table
	flags   map[string]bool  // client ids that take previews with their ids
	closed  bool
	queue   []message
	wake    chan struct{} // capacity 1
}

// message is a text message for one client id, or for all sockets; or the
// picture of a step.
type message struct {
	kind    string
	data    *object
	picture *picture
	to      string
	all     bool
	at      time.Duration // of the world's time
}

func (m message) bytes() []byte { return encode(obj("type", m.kind, "data", m.data)) }

// ends tells the message that ends a prompt.
func (m message) ends() bool {
	node, ok := m.data.get("node")
	return m.kind == "executing" && ok && node == nil
}

// socket is one websocket. Its lock lets one message be written at a time.
type socket struct {
	sid   string
	conn  *websocket.Conn
	write sync.Mutex
	alive func() // a sign of life, for what cuts quiet connections
	deaf  bool   // it is told nothing any more; guarded by the hub's lock
}

func newHub(s *Server) *hub {
	return &hub{
		srv: s, sockets: map[string]*socket{}, all: map[*socket]bool{}, flags: map[string]bool{},
		wake: make(chan struct{}, 1),
	}
}

// send puts a message for a client id into the queue. It never blocks.
func (h *hub) send(to, kind string, data *object) { h.put(message{kind: kind, data: data, to: to}) }

// broadcast puts a message for everybody into the queue.
func (h *hub) broadcast(kind string, data *object) {
	h.put(message{kind: kind, data: data, all: true})
}

// show puts a picture into the queue, for a client id or for everybody.
func (h *hub) show(to string, all bool, p picture) { h.put(message{picture: &p, to: to, all: all}) }

func (h *hub) put(m message) {
	m.at = h.srv.pace.now()
	h.mu.Lock()
	h.queue = append(h.queue, m)
	h.mu.Unlock()
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// publish sends what is queued until the context ends. unlocked waits until the
// process can do anything.
func (h *hub) publish(ctx context.Context, unlocked func(context.Context) bool) {
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
		f := h.srv.faults.get()
		late := m.at + seconds(f.EventDelayS) - h.srv.pace.now()
		if f.EventDelayS > 0 && h.srv.pace.wait(ctx, late) != nil || !unlocked(ctx) {
			return
		}
		h.deliver(m, f.SocketFaults)
	}
}

// deliver sends one message to whom it is for, as the faults have it.
func (h *hub) deliver(m message, f SocketFaults) {
	lost := slices.Contains(f.LoseEvents, m.kind) || m.ends() && slices.Contains(f.LoseEvents, "executing_null")
	audience := h.audience(m)
	if len(audience) == 0 || lost || f.DeafSockets || f.HalfOpen {
		return
	}
	noise := message{kind: "extension.noise", data: obj("value", 1)}.bytes()
	times := 1
	if f.DuplicateEvents {
		times = 2
	}
	for _, s := range audience {
		for range f.Flood {
			s.send(websocket.TextMessage, noise)
		}
		for range times {
			if m.picture != nil {
				s.send(websocket.BinaryMessage, m.picture.frame(h.knowsIDs(s.sid)))
				continue
			}
			s.send(websocket.TextMessage, m.bytes())
		}
	}
}

func (h *hub) knowsIDs(sid string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.flags[sid]
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
		if !s.deaf && (m.all || sid == m.to) {
			out = append(out, s)
		}
	}
	return out
}

// send writes a frame. A dead socket is its reader's affair, which clears up.
func (s *socket) send(kind int, b []byte) {
	s.write.Lock()
	defer s.write.Unlock()
	if s.conn == nil {
		return // never opened
	}
	if s.conn.WriteMessage(kind, b) == nil {
		s.alive()
	}
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
	cut := func() { _ = conn.Close() } // the fault itself: nobody is told
	alive, stop := keepIdle(h.srv.real(h.srv.proto.front.idleCut), cut)
	defer stop()
	s.alive = alive
	f := h.srv.faults.get()
	if f.SocketLifeS > 0 {
		defer time.AfterFunc(h.srv.real(seconds(f.SocketLifeS)), cut).Stop()
	}
	h.silence(s, conn)
	h.mu.Lock()
	s.conn = conn
	h.all[s] = true
	closed := h.closed
	h.mu.Unlock()
	if closed {
		s.write.Unlock()
		return
	}
	// The client may write before it reads, and over a pipe that would be for ever.
	var greeted sync.WaitGroup
	greeted.Go(func() {
		defer s.write.Unlock()
		for _, m := range first() {
			_ = conn.WriteMessage(websocket.TextMessage, m.bytes()) // an error shows in the reader
		}
	})
	h.read(s, flags)
	_ = conn.Close() // nothing more can be read, so nobody waits for what is still being written
	greeted.Wait()
	if f := h.srv.faults.get(); f.HalfOpen && f.LingerS > 0 {
		_ = h.srv.pace.wait(r.Context(), seconds(f.LingerS)) // its end is seen late, or the server's own comes first
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.all, s)
	delete(h.flags, sid)
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

// silence lets a half-open socket answer neither pings nor a farewell.
func (h *hub) silence(s *socket, conn *websocket.Conn) {
	pong, bye := conn.PingHandler(), conn.CloseHandler()
	conn.SetPingHandler(func(text string) error {
		s.alive()
		if h.srv.faults.get().HalfOpen {
			return nil
		}
		return pong(text)
	})
	conn.SetCloseHandler(func(code int, text string) error {
		if h.srv.faults.get().HalfOpen {
			return nil
		}
		return bye(code, text)
	})
}

// real is how long d of the world's time takes.
func (s *Server) real(d time.Duration) time.Duration {
	return s.pace.clock.Real(time.Duration(float64(d) / s.pace.speed))
}

// read waits for the end of a socket. Only a first text frame with feature
// flags has a meaning, on servers that know of them.
func (h *hub) read(s *socket, flags *object) {
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
				wants, _ := o.object("data").get("supports_preview_metadata")
				h.mu.Lock()
				h.flags[s.sid] = truthy(wants)
				h.mu.Unlock()
				s.send(websocket.TextMessage, message{kind: "feature_flags", data: flags}.bytes())
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

// deafen tells the sockets that are open nothing any more.
func (h *hub) deafen() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.all {
		s.deaf = true
	}
}

// drop cuts every socket without a farewell.
func (h *hub) drop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.all {
		_ = s.conn.Close() // it is gone either way
	}
}

package comfy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/gorilla/websocket"

	"reckoner/scheduler/job"
)

const (
	// maxMessage bounds one message: whole pictures come this way.
	maxMessage   = 64 << 20
	pingEvery    = 20 * time.Second // ComfyUI sends none, and proxies cut what is idle
	deadAfter    = 60 * time.Second // without pong or news
	writeWait    = 5 * time.Second
	farewellWait = 2 * time.Second // for the other side's close
)

var errFlooded = errors.New("more news than can be taken")

// socket is one open websocket.
type socket struct {
	client *Client
	conn   *websocket.Conn
	box    *mailbox

	ended chan struct{} // closed once the reader has ended
	err   error         // what ended it
}

func socketCall() call { return call{method: http.MethodGet, path: "/ws"} }

// openSocket does the handshake. Its errors are *job.Error.
func (c *Client) openSocket(ctx context.Context, clientID string, box *mailbox) (*socket, error) {
	q := socketCall()
	ctx, cancel := context.WithTimeout(ctx, headerWait)
	defer cancel()
	at, err := c.enter(ctx, q)
	if err != nil {
		return nil, err
	}
	head := &headLimit{left: maxHead}
	dialer := websocket.Dialer{NetDialContext: head.over(c.dial), Proxy: c.proxy, TLSClientConfig: c.tls}
	//nolint:bodyclose // the body is a copy in memory
	conn, resp, err := dialer.DialContext(ctx, at.socket(clientID), at.header)
	if err != nil {
		if resp != nil && errors.Is(err, websocket.ErrBadHandshake) {
			return nil, c.noUpgrade(q, resp)
		}
		return nil, c.noAnswer(q, err, true)
	}
	head.lift()
	s := &socket{client: c, conn: conn, box: box, ended: make(chan struct{})}
	conn.SetReadLimit(maxMessage)
	conn.SetPongHandler(func(string) error { return s.heard() })
	if err := errors.Join(
		s.heard(), conn.SetWriteDeadline(time.Now().Add(writeWait)),
		conn.WriteMessage(websocket.TextMessage, []byte(hello)),
	); err != nil {
		_ = conn.Close() // the error says more
		return nil, c.noAnswer(q, err, true)
	}
	return s, nil
}

// noUpgrade says why a handshake was refused. Proxies that pass no websockets
// on answer 400, 404 or 426.
func (c *Client) noUpgrade(q call, resp *http.Response) *job.Error {
	a := answer{status: resp.StatusCode, header: resp.Header}
	var err error
	if a.body, err = io.ReadAll(io.LimitReader(resp.Body, 1024)); err != nil {
		return c.noAnswer(q, err, true)
	}
	if e, ok := errors.AsType[*job.Error](c.judge(q, a)); ok && e.Code != job.ErrBadReply {
		return e
	}
	return c.fail(job.ErrNotComfy, q, job.Args{Status: a.status, Detail: "no websocket here"}, nil)
}

func (s *socket) heard() error { return s.conn.SetReadDeadline(time.Now().Add(deadAfter)) }

// run reads until the socket ends or ctx does. seenEnd tells whether the other
// side is known to have let go of the socket.
func (s *socket) run(ctx context.Context) (seenEnd bool, err error) {
	s.client.pulse.opened()
	go func() {
		defer close(s.ended)
		s.err = s.read()
	}()
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		select {
		case <-s.ended:
			seenEnd = endWasSeen(s.err)
			if !seenEnd { // nothing can be read any more; the other side may still be told
				_ = s.sayBye()
			}
			_ = s.conn.Close() // the reader's error says more
			return seenEnd, s.err
		case <-ping.C:
			// A ping that cannot be sent shows in the reader, at the latest when
			// nothing was heard for long.
			if err := s.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeWait)); err != nil {
				s.client.log.DebugContext(ctx, "ping not sent", "error", err)
			}
		case <-s.client.pulse.deaf:
			return s.leave(), errDeaf
		case <-ctx.Done():
			return s.leave(), ctx.Err()
		}
	}
}

// read hands news to the mailbox until the socket ends. It never waits for
// anybody: a client that stops reading stops the server's news to all others.
func (s *socket) read() error {
	l := newListener()
	for {
		kind, frame, err := s.conn.ReadMessage()
		if err != nil {
			return err
		}
		if err := s.heard(); err != nil {
			return err
		}
		s.client.pulse.said()
		hear := l.hear
		if kind == websocket.BinaryMessage {
			hear = l.see
		}
		if n, ok := hear(frame); ok && !s.box.put(n) {
			return errFlooded
		}
	}
}

// leave does the closing handshake, and waits for the other side's part of it
// only briefly.
func (s *socket) leave() (seenEnd bool) {
	if s.sayBye() == nil {
		timer := time.NewTimer(farewellWait)
		defer timer.Stop()
		select {
		case <-s.ended:
			_ = s.conn.Close() // it has ended
			return endWasSeen(s.err)
		case <-timer.C:
		}
	}
	_ = s.conn.Close() // makes the reader end
	<-s.ended
	return false
}

func (s *socket) sayBye() error {
	bye := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	return s.conn.WriteControl(websocket.CloseMessage, bye, time.Now().Add(farewellWait))
}

// endWasSeen tells whether an error of the reader came from the other side: its
// close, or its end of the connection. Only silence and errors of our own leave
// the old socket standing.
func endWasSeen(err error) bool {
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return false
	}
	return !errors.Is(err, websocket.ErrReadLimit) && !errors.Is(err, errFlooded)
}

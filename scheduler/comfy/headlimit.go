package comfy

import (
	"context"
	"errors"
	"net"
	"sync"
)

// headLimit bounds what is read of a websocket's handshake, whose head the
// library reads whatever its size.
type headLimit struct {
	mu     sync.Mutex
	left   int // bytes
	lifted bool
}

var errLongHead = errors.New("the answer's head is larger than our bound")

// over puts the bound on a dialer's connections.
func (l *headLimit) over(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &headConn{Conn: conn, limit: l}, nil
	}
}

// lift takes the bound away, once messages come, which have their own.
func (l *headLimit) lift() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lifted = true
}

func (l *headLimit) took(n int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left -= n; l.left < 0 && !l.lifted {
		return errLongHead
	}
	return nil
}

type headConn struct {
	net.Conn
	limit *headLimit
}

// Read implements net.Conn.
func (c *headConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if over := c.limit.took(n); over != nil {
		return 0, over // half a line would be reported as malformed
	}
	return n, err
}

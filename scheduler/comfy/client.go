package comfy

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Options are what a Client needs. Only URL must be set.
type Options struct {
	// URL is the server's base URL, path included. A user, password and query in
	// it are split off, kept in memory, and sent with every request.
	URL string
	// Header is sent with every request and the websocket's handshake. Origin and
	// Sec-Fetch headers are left out: ComfyUI refuses requests that have them.
	Header http.Header
	// Dial opens connections, for HTTP and the websocket; nil means the network,
	// through the environment's proxy.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Log gets what is of use when a server behaves oddly; nil means nowhere.
	Log *slog.Logger
	// Random gives numbers from 0 to under 1 that spread reconnections; nil means
	// a random source.
	Random func() float64
}

// Client is one render server. Its methods may be called from any goroutine.
// Each makes bounded requests with deadlines of its own, and returns errors as
// *job.Error.
type Client struct {
	at     address
	http   *http.Client
	dial   func(ctx context.Context, network, addr string) (net.Conn, error)
	proxy  proxyFunc
	log    *slog.Logger
	random func() float64

	mu     sync.Mutex
	prefix *string       // "/api" or "", nil until found out
	can    *capabilities // nil until found out
}

const (
	dialWait   = 10 * time.Second
	headerWait = 60 * time.Second // servers stall for long while a node holds Python's lock
	// idleWait closes our idle connections before proxies do (60 s and more), so
	// that a prompt is not sent into a connection that is being closed.
	idleWait = 30 * time.Second
)

// New makes a Client. It sends nothing. The error does not repeat the URL,
// which may hold a password.
func New(o Options) (*Client, error) {
	at, err := splitAddress(o.URL, o.Header)
	if err != nil {
		return nil, err
	}
	c := &Client{at: at, log: o.Log, random: o.Random}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.log = c.log.With("server", at.base)
	if c.random == nil {
		c.random = rand.Float64
	}
	dial := o.Dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: dialWait}).DialContext
		c.proxy = http.ProxyFromEnvironment
	}
	c.dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, &dialError{err}
		}
		return conn, nil
	}
	c.http = &http.Client{
		// Redirects are never followed: they lead to login pages or, with
		// credentials, to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy: c.proxy, DialContext: c.dial,
			TLSHandshakeTimeout: dialWait, IdleConnTimeout: idleWait, MaxIdleConnsPerHost: 4,
			MaxResponseHeaderBytes: 1 << 20,
		},
	}
	return c, nil
}

// URL gives the server's bare URL, fit to be shown.
func (c *Client) URL() string { return c.at.base }

// Close lets go of idle connections. Requests and websockets under way end with
// their contexts.
func (c *Client) Close() { c.http.CloseIdleConnections() }

type proxyFunc = func(*http.Request) (*url.URL, error)

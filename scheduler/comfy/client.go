package comfy

import (
	"context"
	"crypto/tls"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"reckoner/scheduler/job"
	"reckoner/scheduler/remote"
)

// Options are what a Client needs. Only URL must be set.
type Options struct {
	// URL is the server's base URL, path included. A user, password and query in
	// it are split off, kept in memory, and sent with every request. A server
	// behind ssh is ssh:user@host, as remote.ParseAddress reads it.
	URL string
	// Header is sent with every request and the websocket's handshake. Origin and
	// Sec-Fetch headers are left out: ComfyUI refuses requests that have them.
	Header http.Header
	// Access gives what opens the server, where it takes time to get, as from a
	// keyring that is locked. It is asked before the first request, and again
	// before others until it has answered. Its error must hold no secret; requests
	// then fail with job.ErrKeyring, and nothing is sent. nil means that URL and
	// Header say all.
	Access func(context.Context) (Access, error)
	// Pins are the SHA-256 fingerprints of certificates that the user accepted for
	// this server, in hexadecimal; colons between the bytes are allowed. They are
	// trusted beside those that this computer trusts.
	Pins []string
	// SSH is how ssh is started for a server behind it.
	SSH remote.Options
	// Proxy gives the proxy for a request, nil for none; a nil Proxy means the
	// environment's. It is not asked where Dial or ssh lead to the server.
	Proxy func(*http.Request) (*url.URL, error)
	// Dial opens connections, for HTTP and the websocket; nil means the network,
	// or ssh where the URL says so.
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
	access func(context.Context) (Access, error)
	key    atomic.Pointer[address] // at with what access gave; nil before
	http   *http.Client
	// elsewhere fetches files from where a server sends us, with nothing that
	// opens the server.
	elsewhere *http.Client
	tls       *tls.Config
	tunnel    *remote.Tunnel // nil unless the server is behind ssh
	dial      dialFunc
	proxy     proxyFunc
	log       *slog.Logger
	random    func() float64
	pulse     *pulse

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
	maxHead  = 1 << 20 // bytes of an answer's head
)

// New makes a Client. It sends nothing. The error does not repeat the URL,
// which may hold a password. Close must be called.
func New(o Options) (*Client, error) {
	c := &Client{log: o.Log, random: o.Random, access: o.Access}
	dial, err := c.locate(o)
	if err != nil {
		return nil, err
	}
	if c.tls, err = trust(c.at.base, o.Pins); err != nil {
		return nil, err
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.log = c.log.With("server", c.at.shown)
	if c.random == nil {
		c.random = rand.Float64
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
			Proxy: c.proxy, DialContext: c.dial, TLSClientConfig: c.tls,
			TLSHandshakeTimeout: dialWait, IdleConnTimeout: idleWait, MaxIdleConnsPerHost: 4,
			MaxResponseHeaderBytes: maxHead,
		},
	}
	c.elsewhere, c.pulse = newElsewhere(), newPulse()
	return c, nil
}

// locate finds out where the server is and how it is reached.
func (c *Client) locate(o Options) (dial dialFunc, err error) {
	if remote.Is(o.URL) {
		to, err := remote.ParseAddress(o.URL)
		if err != nil {
			return nil, err
		}
		if c.at, err = throughSSH(to, o.Header); err != nil {
			return nil, err
		}
		if o.Dial != nil {
			return o.Dial, nil
		}
		if o.SSH.Log == nil {
			o.SSH.Log = o.Log
		}
		c.tunnel = remote.NewTunnel(to, o.SSH)
		return c.tunnel.Dial, nil
	}
	if c.at, err = splitAddress(o.URL, o.Header); err != nil {
		return nil, err
	}
	if o.Dial != nil {
		return o.Dial, nil
	}
	if c.proxy = o.Proxy; c.proxy == nil {
		c.proxy = http.ProxyFromEnvironment
	}
	return (&net.Dialer{Timeout: dialWait}).DialContext, nil
}

// enter gives the address with what opens the server.
func (c *Client) enter(ctx context.Context, q call) (*address, error) {
	if c.access == nil {
		return &c.at, nil
	}
	if known := c.key.Load(); known != nil {
		return known, nil
	}
	x, err := c.access(ctx)
	if err != nil {
		return nil, c.fail(job.ErrKeyring, q, job.Args{Detail: err.Error()}, contextError(err))
	}
	with := c.at.opened(x)
	c.key.Store(with)
	return with, nil
}

// scrub takes what opens the server out of a text that came from outside.
func (c *Client) scrub(text string) string {
	if with := c.key.Load(); with != nil {
		return with.scrub(text)
	}
	return c.at.scrub(text)
}

// URL gives the server's bare URL, fit to be shown.
func (c *Client) URL() string { return c.at.shown }

// Close lets go of idle connections, and ends ssh where the server is behind it.
// Other requests and websockets under way end with their contexts.
func (c *Client) Close() {
	c.http.CloseIdleConnections()
	c.elsewhere.CloseIdleConnections()
	if c.tunnel != nil {
		c.tunnel.Close()
	}
}

type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

type proxyFunc = func(*http.Request) (*url.URL, error)

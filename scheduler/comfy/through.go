package comfy

import (
	"errors"
	"maps"
	"net/http"
	"net/url"

	"reckoner/scheduler/job"
)

// errElsewhere keeps what opens a server from any other one.
var errElsewhere = errors.New("this way leads to one render server only")

// Through gives an HTTP client for others that read this server, as a gauge does.
// It reaches the server as c does: with what opens it, with the certificates that
// were accepted for it, through its tunnel. Requests to any other host fail, and
// redirects are not followed.
func (c *Client) Through() *http.Client {
	return &http.Client{CheckRedirect: c.http.CheckRedirect, Transport: through{c}}
}

type through struct{ c *Client }

// RoundTrip implements http.RoundTripper.
func (t through) RoundTrip(req *http.Request) (*http.Response, error) {
	base, err := url.Parse(t.c.at.base)
	if err != nil || req.URL.Scheme != base.Scheme || req.URL.Host != base.Host {
		return nil, errElsewhere
	}
	at, err := t.c.enter(req.Context(), call{method: req.Method, path: req.URL.Path})
	if err != nil {
		return nil, err
	}
	with := req.Clone(req.Context())
	maps.Copy(with.Header, at.header)
	query := with.URL.Query()
	maps.Copy(query, at.query)
	with.URL.RawQuery = query.Encode()
	res, err := t.c.http.Transport.RoundTrip(with)
	if strange, ok := errors.AsType[*untrustedError](err); ok {
		return nil, job.Errorf(job.ErrTLS, job.Args{Server: t.c.at.shown, Fingerprint: strange.fingerprint}, nil)
	}
	return res, err
}

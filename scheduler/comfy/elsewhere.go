package comfy

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"

	"reckoner/scheduler/job"
)

// maxHops bounds how often a file may be elsewhere.
const maxHops = 3

var errManyHops = errors.New("redirected too often")

// newElsewhere makes the client for files that a server keeps on another host
// (comfyui-protocol, 4.4: a redirect to a signed address). It has no header,
// password or accepted certificate of the server.
func newElsewhere() *http.Client {
	return &http.Client{
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			req.Header.Del("Referer") // the address before is what opens the file
			if len(via) >= maxHops || via[0].URL.Scheme == "https" && req.URL.Scheme != "https" {
				return errManyHops
			}
			return nil
		},
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: dialWait}).DialContext,
			TLSHandshakeTimeout: dialWait, IdleConnTimeout: idleWait, MaxResponseHeaderBytes: maxHead,
		},
	}
}

// signed gives the address on another host that a redirect of /view leads to.
// One on the same host leads to a login page, and one from https to http would
// let others read along.
func (c *Client) signed(resp *http.Response) (*url.URL, bool) {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect:
	default:
		return nil, false
	}
	to, err := resp.Location()
	own, ownErr := url.Parse(c.at.base)
	if err != nil || ownErr != nil || to.User != nil || strings.EqualFold(to.Host, own.Host) {
		return nil, false
	}
	plain := to.Scheme == "http" && own.Scheme == "http" && c.tunnel == nil
	if to.Scheme != "https" && !plain || strings.EqualFold(to.Hostname(), own.Hostname()) && to.Scheme != own.Scheme {
		return nil, false
	}
	return to, true
}

// fromElsewhere judges the head of a file's answer from another host.
func (c *Client) fromElsewhere(q call, resp *http.Response) error {
	kind := resp.Header.Get("Content-Type")
	switch s := resp.StatusCode; {
	case strings.HasPrefix(kind, "text/html"):
		return c.fail(job.ErrLogin, q, job.Args{Status: s, Detail: "redirect to a page of " + resp.Request.URL.Host}, nil)
	case s == http.StatusForbidden, s == http.StatusNotFound, s == http.StatusGone:
		return c.fail(job.ErrNoSuchFile, q, job.Args{Status: s, Detail: "it was at " + resp.Request.URL.Host}, nil)
	}
	return nil
}

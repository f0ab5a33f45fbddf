package comfy

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"mime"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"reckoner/scheduler/job"
)

// dialError marks that no connection was made, so nothing was sent.
type dialError struct{ error }

func (e *dialError) Unwrap() error { return e.error }

// detailBytes bounds what an error keeps of an answer.
const detailBytes = 300

// fail makes an error about this server. Its detail says which request it was.
func (c *Client) fail(code string, q call, args job.Args, cause error) *job.Error {
	args.Server = c.at.shown
	detail := q.method + " " + q.path
	if args.Detail != "" {
		detail += ": " + args.Detail
	}
	args.Detail = clip(c.scrub(detail), detailBytes+200)
	return job.Errorf(code, args, cause)
}

// noAnswer says what it means that a request got no answer.
func (c *Client) noAnswer(q call, err error, wrote bool) *job.Error {
	cause := contextError(err)
	args := job.Args{Detail: withoutURL(err).Error()}
	var dial *dialError
	switch {
	case errors.As(err, &dial) && job.CodeOf(dial.error) != "":
		return c.noWay(q, dial.error)
	case isTLS(err):
		if strange, ok := errors.AsType[*untrustedError](err); ok {
			args.Fingerprint = strange.fingerprint
		}
		return c.fail(job.ErrTLS, q, args, cause)
	case errors.As(err, &dial), !wrote:
		return c.fail(job.ErrUnreachable, q, args, cause)
	case q.once:
		return c.fail(job.ErrOutcomeUnknown, q, args, cause)
	default:
		return c.fail(job.ErrBusy, q, args, cause)
	}
}

// noWay passes on why there is no way to the server, as the tunnel says it.
func (c *Client) noWay(q call, err error) *job.Error {
	e, ok := errors.AsType[*job.Error](err)
	switch {
	case !ok:
		return c.fail(job.ErrUnreachable, q, job.Args{Detail: err.Error()}, nil)
	case e.Args.Server != "": // it says all already
		return e
	}
	return c.fail(e.Code, q, e.Args, contextError(err))
}

// withoutURL takes off http's wrapping, whose text holds the query.
func withoutURL(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// contextError keeps the end of a context in the chain, for errors.Is.
func contextError(err error) error {
	for _, c := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, c) {
			return c
		}
	}
	return nil
}

func isTLS(err error) bool {
	var (
		verify  *tls.CertificateVerificationError
		record  tls.RecordHeaderError
		alert   tls.AlertError
		unknown x509.UnknownAuthorityError
		host    x509.HostnameError
		invalid x509.CertificateInvalidError
		strange *untrustedError
	)
	return errors.As(err, &strange) || errors.As(err, &verify) || errors.As(err, &record) || errors.As(err, &alert) ||
		errors.As(err, &unknown) || errors.As(err, &host) || errors.As(err, &invalid) ||
		strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

// answered makes an error from an answer.
func (c *Client) answered(code string, q call, a answer) *job.Error {
	return c.fail(code, q, job.Args{Status: a.status, Detail: snippet(a)}, nil)
}

// judge gives the error that an answer's status means, nil for 2xx.
//
//nolint:cyclop // a table of statuses
func (c *Client) judge(q call, a answer) error {
	switch s := a.status; {
	case s >= 200 && s < 300:
		return nil
	case s >= 300 && s < 400:
		return c.redirected(q, a)
	case s == http.StatusForbidden && len(bytes.TrimSpace(a.body)) == 0:
		return c.answered(job.ErrOrigin, q, a)
	case s == http.StatusUnauthorized, s == http.StatusForbidden, s == http.StatusProxyAuthRequired:
		return c.answered(job.ErrLogin, q, a)
	case s == http.StatusNotFound, s == http.StatusMethodNotAllowed: // an unknown POST path is 405
		return c.answered(job.ErrNotComfy, q, a)
	case s == http.StatusRequestEntityTooLarge:
		return c.answered(job.ErrTooLarge, q, a)
	case s == http.StatusTooManyRequests:
		return c.answered(job.ErrBusy, q, a)
	case s >= 500 && q.once && fromGateway(s):
		return c.answered(job.ErrOutcomeUnknown, q, a)
	case s >= 500:
		return c.answered(job.ErrServerFault, q, a)
	case looksLikePage(a):
		return c.answered(job.ErrNotComfy, q, a)
	default:
		return c.answered(job.ErrBadReply, q, a)
	}
}

// fromGateway tells statuses that a proxy gives when the server behind it did
// not answer in time or broke off: the server may have done what it was asked.
// 500 is ComfyUI's own, and comes before a prompt is queued.
func fromGateway(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusGatewayTimeout || status >= 520
}

// redirected judges a redirect, which is never followed.
func (c *Client) redirected(q call, a answer) error {
	args := job.Args{Status: a.status, Detail: "redirect"}
	code := job.ErrNotComfy
	if to, err := url.Parse(a.header.Get("Location")); err == nil && to.String() != "" {
		bare := url.URL{Scheme: to.Scheme, Host: to.Host, Path: to.Path} // its query may hold a token
		args.Detail = "redirect to " + bare.String()
		own, err := url.Parse(c.at.base)
		if err == nil && own.Scheme == "http" && to.Scheme == "https" && hostOnly(to.Host) == hostOnly(own.Host) {
			args.Detail += ": this address wants https"
		} else if looksLikeLogin(bare) {
			code = job.ErrLogin
		}
	}
	return c.fail(code, q, args, nil)
}

// looksLikeLogin tells an address where people log in from one that a server
// was moved to, by the words in it.
func looksLikeLogin(to url.URL) bool {
	text := strings.ToLower(to.Host + to.Path)
	return slices.ContainsFunc([]string{
		"login", "logon", "signin", "sign-in", "sign_in", "auth", "sso", "saml", "account", "session",
	}, func(word string) bool { return strings.Contains(text, word) })
}

func hostOnly(hostPort string) string {
	if host, _, err := net.SplitHostPort(hostPort); err == nil {
		return host
	}
	return hostPort
}

// looksLikePage tells an answer made for people: a proxy's or a login page.
func looksLikePage(a answer) bool {
	kind, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if err == nil && (kind == "text/html" || kind == "application/xhtml+xml") {
		return true
	}
	return bytes.HasPrefix(bytes.TrimSpace(a.body), []byte("<"))
}

var (
	pageTitle = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)
	pageTag   = regexp.MustCompile(`(?s)<[^>]*>`)
)

// snippet gives the first words of an answer: of a page its title.
func snippet(a answer) string {
	text := a.body[:min(len(a.body), 4096)]
	if looksLikePage(a) {
		if m := pageTitle.FindSubmatch(text); m != nil {
			text = m[1]
		}
		text = pageTag.ReplaceAll(text, []byte(" "))
	}
	return clip(strings.Join(strings.Fields(string(text)), " "), detailBytes)
}

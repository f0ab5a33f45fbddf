package gpu

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"reckoner/scheduler/job"
)

// Bounds on a page.
const (
	maxPage  = 1 << 20
	pageTime = 5 * time.Second
)

// sourceURL reads the URL of a source. Without a scheme it is http. User names
// and passwords are refused: a source's name stands in records and logs.
func sourceURL(s string) (*url.URL, error) {
	if !strings.Contains(s, "://") {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return nil, errors.New("not a URL") // url.Error repeats it, with what may be a password
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("only http and https")
	case u.Hostname() == "":
		return nil, errors.New("no host in the URL")
	case u.User != nil:
		return nil, errors.New("user names and passwords cannot be part of a source")
	}
	u.Fragment = ""
	return u, nil
}

// fewRedirects keeps to the host that was named: a page elsewhere is mostly a
// login page.
func fewRedirects(req *http.Request, via []*http.Request) error {
	if len(via) >= 3 || req.URL.Host != via[0].URL.Host {
		return http.ErrUseLastResponse
	}
	return nil
}

// page reads a page, bounded in size and time. foreign is the code of an answer
// that is not the kind of page that was asked for.
func page(ctx context.Context, opt Options, source, address, foreign string, limit time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, sourceError(job.ErrBadSource, source, "", err)
	}
	req.Header.Set("User-Agent", "Reckoner")
	res, err := opt.Client.Do(req)
	if err != nil {
		return nil, sourceError(dialCode(err), source, "", fmt.Errorf("read the page: %w", err))
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxPage+1))
	if code := statusCode(res.StatusCode, foreign); code != "" {
		e := sourceError(code, source, string(body), nil)
		e.Args.Status = res.StatusCode
		return nil, e
	}
	if err != nil {
		return nil, sourceError(dialCode(err), source, "", fmt.Errorf("read the page: %w", err))
	}
	if len(body) > maxPage {
		return nil, sourceError(job.ErrTooLarge, source, "", fmt.Errorf("the page is over %d bytes", maxPage))
	}
	return body, nil
}

func dialCode(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return job.ErrBusy
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return job.ErrTLS
	}
	return job.ErrUnreachable
}

func statusCode(status int, foreign string) string {
	switch {
	case status == http.StatusOK:
		return ""
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status/100 == 3:
		return job.ErrLogin
	case status/100 == 5:
		return job.ErrServerFault
	default:
		return foreign
	}
}

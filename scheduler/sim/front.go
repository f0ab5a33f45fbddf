package sim

import (
	"bytes"
	"context"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"
)

// What opens the profiles "proxy" (HTTP basic) and "cloud" (header X-API-Key).
const (
	ProxyUser     = "painter"
	ProxyPassword = "open-sesame"
	CloudKey      = "cloud-key-0001"
)

// front is what stands between the network and a render server.
type front struct {
	basic     bool          // asks for ProxyUser and ProxyPassword
	key       bool          // asks for CloudKey
	cloud     bool          // other tuples, files by way of a signed address
	pages     bool          // answers with web pages in the place of a dead server
	bodyLimit int64         // bytes; 0 for the server's own
	idleCut   time.Duration // after which a quiet websocket is cut; 0 for never
	patience  time.Duration // for an answer's beginning; 0 without end
}

// basicProxy is nginx with basic auth and what it does when nobody changed its
// defaults, behind a network that gives an answer 100 s to begin.
var basicProxy = front{
	basic: true, pages: true, bodyLimit: 1 << 20, idleCut: time.Minute, patience: 100 * time.Second,
}

var cloudFront = front{key: true, cloud: true}

// turnsAway answers a request that does not get past the front, and tells
// whether it did.
func (f front) turnsAway(w http.ResponseWriter, r *http.Request) bool {
	switch {
	case f.basic && !f.knows(r):
		w.Header().Set("WWW-Authenticate", `Basic realm="render"`)
		errorPage(w, http.StatusUnauthorized, "401 Authorization Required")
		return true
	case f.key && !isSigned(r) && !same(r.Header.Get("X-Api-Key"), CloudKey):
		answerJSON(w, http.StatusUnauthorized, obj("message", "Unauthorized"))
		return true
	case f.bodyLimit > 0 && r.ContentLength > f.bodyLimit:
		errorPage(w, http.StatusRequestEntityTooLarge, "413 Request Entity Too Large")
		return true
	}
	if f.bodyLimit > 0 {
		r.Body = http.MaxBytesReader(w, r.Body, f.bodyLimit)
	}
	return false
}

func (f front) knows(r *http.Request) bool {
	user, password, ok := r.BasicAuth()
	return ok && same(user, ProxyUser) && same(password, ProxyPassword)
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// dead answers for a server that does not.
func (f front) dead(w http.ResponseWriter) {
	if f.pages {
		errorPage(w, http.StatusBadGateway, "502 Bad Gateway")
		return
	}
	hangUp(w)
}

// waits lets a server that stalls for d keep its client waiting. It is false
// when the client left or the front lost patience, and then has answered.
func (s *Server) waits(ctx context.Context, w http.ResponseWriter, d time.Duration) bool {
	f := s.proto.front
	if f.patience > 0 && d > f.patience {
		if s.pace.wait(ctx, f.patience) == nil {
			errorPage(w, 524, "524: A timeout occurred")
		}
		return false
	}
	return s.pace.wait(ctx, d) == nil
}

func errorPage(w http.ResponseWriter, status int, title string) {
	page := fmt.Sprintf("<!DOCTYPE html>\n<html><head><title>%s</title></head>\n"+
		"<body><center><h1>%[1]s</h1></center></body></html>\n",
		title)
	answer(w, status, "text/html; charset=utf-8", []byte(page))
}

const signedPath = "/signed/"

func isSigned(r *http.Request) bool {
	return len(r.URL.Path) > len(signedPath) && r.URL.Path[:len(signedPath)] == signedPath
}

// redirectToFile answers a request for a file with the signed address of it, at
// another host: another name of this one.
func redirectToFile(w http.ResponseWriter, r *http.Request) {
	host, port := splitPort(r.Host)
	other := "storage." + host
	switch host {
	case "127.0.0.1":
		other = "localhost"
	case "localhost":
		other = "127.0.0.1"
	}
	if port != "" {
		other = net.JoinHostPort(other, port)
	}
	w.Header().Set("Location", "http://"+other+signedPath+"0f1e2d3c?"+r.URL.RawQuery)
	answer(w, http.StatusFound, "", nil)
}

// signed serves a file at its signed address, which is the only key to it: a
// request that brings the server's own has given it away.
func (p *process) signed(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-Api-Key") != "" || r.Header.Get("Authorization") != "" {
		answerText(w, http.StatusBadRequest, "Only one auth mechanism allowed")
		return
	}
	p.view(w, r)
}

// keepIdle cuts a connection after a time without traffic. The function that it
// gives is to be called for each sign of life.
func keepIdle(d time.Duration, cut func()) (alive func(), stop func() bool) {
	if d <= 0 {
		return func() {}, func() bool { return true }
	}
	t := time.AfterFunc(d, cut)
	return func() { t.Reset(d) }, t.Stop
}

// truncated is a file of which the connection brings only the first third.
func truncated(w http.ResponseWriter, data []byte) {
	conn, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	var head bytes.Buffer
	fmt.Fprintf(&head, "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: %s\r\n\r\n",
		strconv.Itoa(len(data)))
	head.Write(data[:len(data)/3])
	_, _ = buf.Write(head.Bytes()) // the connection is cut in any case
	_ = buf.Flush()
}

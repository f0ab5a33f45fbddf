package comfy

import (
	"encoding/base64"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"reckoner/scheduler/remote"
)

// address is where a server is, with what opens it kept apart: the bare URL may
// be shown and logged, everything else may not.
type address struct {
	shown   string      // how the server is called: base, or the way through ssh
	base    string      // scheme, host and path; no slash at the end
	query   url.Values  // sent with every request
	header  http.Header // likewise
	secrets []string    // texts that must not leave the package
}

// Access is what opens a server, where it is not in its URL.
type Access struct {
	User, Password string // HTTP basic
	Token          string // sent as a bearer token
	Query          url.Values
	Header         http.Header
}

// errAddress does not repeat the text: it may hold a password.
var errAddress = errors.New(
	"the address of a render server must be an http or https URL, like http://gpu-1:8188, or ssh:user@gpu-1",
)

// notOurs are headers that must not be set from outside: ComfyUI refuses
// requests that look like a web page's (comfyui-protocol, 1.12), and the rest
// belongs to the transport.
var notOurs = []string{
	"Origin", "Sec-Fetch-Site", "Sec-Fetch-Mode", "Sec-Fetch-Dest", "Sec-Fetch-User", "Connection", "Upgrade", "Host",
	"Content-Length", "Content-Type", "Transfer-Encoding", "Range", "Accept-Encoding",
	"Sec-Websocket-Key", "Sec-Websocket-Version", "Sec-Websocket-Extensions", "Sec-Websocket-Protocol",
}

// throughSSH gives the address of a server behind ssh as its own computer sees
// it, so that what it checks of the host's name holds.
func throughSSH(to remote.Address, header http.Header) (address, error) {
	a, err := splitAddress("http://"+to.At(), header)
	a.shown = to.String()
	return a, err
}

// splitAddress takes a URL apart. A path is kept: proxies put servers under
// prefixes.
func splitAddress(raw string, header http.Header) (address, error) {
	raw = strings.TrimSpace(raw)
	if !strings.Contains(raw, "://") {
		raw = "http://" + raw
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return address{}, errAddress
	}
	a := address{query: url.Values{}, header: http.Header{"User-Agent": {"Reckoner"}}}
	x := Access{Query: u.Query(), Header: header}
	if u.User != nil {
		x.User = u.User.Username()
		x.Password, _ = u.User.Password()
	}
	a.open(x)
	bare := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	a.base = strings.TrimRight(bare.String(), "/")
	a.shown = a.base
	return a, nil
}

// opened gives the address with what opens it, once that is known.
func (a *address) opened(x Access) *address {
	with := *a
	with.query, with.header, with.secrets = maps.Clone(a.query), a.header.Clone(), slices.Clone(a.secrets)
	with.open(x)
	return &with
}

// open adds what opens the server. A header that was given wins over a name and
// a password, and these over a token.
func (a *address) open(x Access) {
	if x.Token != "" {
		a.header.Set("Authorization", "Bearer "+x.Token)
		a.hide(x.Token)
	}
	if x.User != "" || x.Password != "" {
		basic := base64.StdEncoding.EncodeToString([]byte(x.User + ":" + x.Password))
		a.header.Set("Authorization", "Basic "+basic)
		a.hide(x.Password)
		a.hide(basic)
		if x.Password == "" { // a token in the user's place
			a.hide(x.User)
		}
	}
	for name, values := range x.Header {
		name = http.CanonicalHeaderKey(name)
		if slices.Contains(notOurs, name) {
			continue
		}
		a.header[name] = slices.Clone(values)
		for _, v := range values {
			a.hide(v)
			if _, token, ok := strings.Cut(v, " "); ok { // "Bearer TOKEN"
				a.hide(token)
			}
		}
	}
	for name, values := range x.Query {
		a.query[name] = slices.Clone(values)
		for _, v := range values {
			a.hide(v)
		}
	}
}

func (a *address) hide(secret string) {
	if len(secret) < 3 { // would blank out half of every sentence, and hides nothing
		return
	}
	a.secrets = append(a.secrets, secret)
	if escaped := url.QueryEscape(secret); escaped != secret {
		a.secrets = append(a.secrets, escaped)
	}
}

// scrub takes secrets out of a text that came from outside.
func (a *address) scrub(text string) string {
	for _, s := range a.secrets {
		text = strings.ReplaceAll(text, s, "***")
	}
	return text
}

// url gives the address of a path, which must be escaped, with the query of
// every request and that of this one.
func (a *address) url(path string, query url.Values) string {
	all := url.Values{}
	maps.Copy(all, a.query)
	maps.Copy(all, query)
	if len(all) == 0 {
		return a.base + path
	}
	return a.base + path + "?" + all.Encode()
}

// socket gives the websocket's address. It has no /api: pages use the bare
// path, so that is what proxies pass on.
func (a *address) socket(clientID string) string {
	return "ws" + strings.TrimPrefix(a.url("/ws", url.Values{"clientId": {clientID}}), "http")
}

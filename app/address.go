package app

import (
	"net/url"
	"strings"
)

// behindSSH begins the address of a server that is reached through ssh:
// ssh:USER@HOST, with ssh's own port after a colon and ComfyUI's after a slash.
const behindSSH = "ssh"

// address is a render server's address as somebody typed it.
type address struct {
	// bare is what records and screens have of it.
	bare *url.URL
	// opens says that it holds a name, a password or a token.
	opens bool
}

// serverURL reads an address as people type it: with or without its scheme and
// port, with or without what opens the server.
func serverURL(s string) (address, bool) {
	if way, ok := strings.CutPrefix(s, behindSSH+":"); ok {
		u := &url.URL{Scheme: behindSSH, Opaque: way}
		return address{bare: u}, hostOf(u) != "" && !strings.ContainsAny(way, " \t") && !strings.HasPrefix(way, "-")
	}
	scheme := strings.Contains(s, "://")
	if !scheme {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return address{}, false
	}
	if u.Port() == "" && !scheme {
		u.Host += ":8188"
	}
	a := address{opens: u.User != nil || u.RawQuery != ""}
	a.bare = &url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host), Path: strings.TrimRight(u.Path, "/")}
	return a, true
}

// hostOf names the computer of an address.
func hostOf(u *url.URL) string {
	if u.Scheme != behindSSH {
		return u.Hostname()
	}
	host, _, _ := strings.Cut(u.Opaque, "/")
	if _, after, ok := strings.Cut(host, "@"); ok {
		host = after
	}
	host, _, _ = strings.Cut(host, ":")
	return host
}

// full gives an address as it was typed, with the scheme and the port that were
// left out, for what takes it apart.
func (a address) full(typed string) string {
	if !a.opens {
		return a.bare.String()
	}
	u, err := url.Parse(typed)
	if err != nil || u.Host == "" {
		u, err = url.Parse("http://" + typed)
	}
	if err != nil {
		return a.bare.String()
	}
	u.Scheme, u.Host = a.bare.Scheme, a.bare.Host
	return u.String()
}

package remote

import (
	"errors"
	"net"
	"strconv"
	"strings"
)

// scheme begins the address of a server that is reached through ssh.
const scheme = "ssh:"

// usualPort is where ComfyUI listens when nobody said otherwise.
const usualPort = 8188

// Address is a server that is reached through ssh: a computer, and where the
// server listens as seen from there.
type Address struct {
	Host Host
	at   string // host:port, as seen from the computer
}

var errAddress = errors.New("say a server behind ssh as ssh:[USER@]HOST[:SSHPORT], " +
	"with /PORT or /HOST:PORT behind it where ComfyUI does not listen on 127.0.0.1:8188 there")

// Is tells whether an address is one of a server behind ssh.
func Is(address string) bool { return strings.HasPrefix(address, scheme) }

// ParseAddress reads ssh:[user@]host[:port][/[host:]port]. The first port is
// ssh's, the one behind the slash is the server's; without it the server is
// looked for at 127.0.0.1:8188.
func ParseAddress(text string) (Address, error) {
	rest, ok := strings.CutPrefix(text, scheme)
	if !ok {
		return Address{}, errAddress
	}
	rest = strings.TrimPrefix(rest, "//") // as other programs write it
	computer, at, _ := strings.Cut(rest, "/")
	host, err := ParseHost(computer)
	if err != nil {
		return Address{}, errAddress
	}
	a := Address{Host: host, at: net.JoinHostPort("127.0.0.1", strconv.Itoa(usualPort))}
	if at == "" {
		return a, nil
	}
	if _, err := strconv.ParseUint(at, 10, 16); err == nil {
		at = "127.0.0.1:" + at
	}
	name, port, ok := splitPort(at)
	if !ok || port == 0 {
		return Address{}, errAddress
	}
	a.at = net.JoinHostPort(name, strconv.Itoa(port))
	return a, nil
}

// String gives the address as ParseAddress reads it, the shortest way.
func (a Address) String() string {
	text := scheme + a.Host.String()
	name, port, _ := strings.Cut(a.at, ":")
	switch {
	case a.at == net.JoinHostPort("127.0.0.1", strconv.Itoa(usualPort)):
		return text
	case name == "127.0.0.1":
		return text + "/" + port
	}
	return text + "/" + a.at
}

// At gives host:port of the server as seen from its computer.
func (a Address) At() string { return a.at }

// Source gives the name under which the computer's GPUs are read through the
// same ssh, as `reckoner gpu` takes it.
func (a Address) Source() string { return scheme + a.Host.String() }

package remote

import (
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// Host is a computer as ssh is given it: a name, an address or an alias of the
// user's configuration, with a user before it and ssh's port behind it where
// they differ from what the configuration says. The zero Host is none.
type Host struct {
	user string
	name string
	port int // 0 leaves it to the configuration
}

// errHost does not repeat the text, which may be anything.
var errHost = errors.New("say a computer as [USER@]HOST or [USER@]HOST:PORT, with ssh's port")

// maxHost bounds a host's text: DNS has no longer names.
const maxHost = 255

// ParseHost reads [user@]host[:port]. An IPv6 address with a port stands in
// brackets.
func ParseHost(text string) (Host, error) {
	var h Host
	if len(text) > maxHost {
		return Host{}, errHost
	}
	rest := text
	if at := strings.LastIndex(text, "@"); at >= 0 {
		h.user, rest = text[:at], text[at+1:]
		if !plainWord(h.user) {
			return Host{}, errHost
		}
	}
	name, port, ok := splitPort(rest)
	if !ok {
		return Host{}, errHost
	}
	h.name, h.port = name, port
	return h, nil
}

// splitPort takes a port off a name or address, and checks both.
func splitPort(text string) (name string, port int, ok bool) {
	name = text
	switch {
	case strings.HasPrefix(text, "["), strings.Count(text, ":") == 1:
		var digits string
		if strings.HasSuffix(text, "]") {
			text += ":0"
		}
		var err error
		if name, digits, err = net.SplitHostPort(text); err != nil {
			return "", 0, false
		}
		number, err := strconv.ParseUint(digits, 10, 16)
		if err != nil || number == 0 && !strings.HasSuffix(text, "]:0") {
			return "", 0, false
		}
		port = int(number)
	}
	if strings.Contains(name, ":") {
		addr, err := netip.ParseAddr(name)
		return name, port, err == nil && (addr.Zone() == "" || plainWord(addr.Zone()))
	}
	return name, port, plainWord(name)
}

// plainWord tells whether a text has nothing in it that ssh or a shell of the
// user's ssh configuration (ProxyCommand) could read as more than a name.
func plainWord(text string) bool {
	if text == "" || text[0] == '-' {
		return false
	}
	for _, r := range text {
		if !strings.ContainsRune("._-", r) && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	return true
}

// String gives the host as ParseHost reads it.
func (h Host) String() string {
	text := h.name
	if h.port != 0 {
		text = net.JoinHostPort(h.name, strconv.Itoa(h.port))
	}
	if h.user != "" {
		text = h.user + "@" + text
	}
	return text
}

// Name gives the computer's name, address or alias alone.
func (h Host) Name() string { return h.name }

// destination gives ssh's last argument, without the port.
func (h Host) destination() string {
	if h.user != "" {
		return h.user + "@" + h.name
	}
	return h.name
}

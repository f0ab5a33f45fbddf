package remote

import (
	"slices"
	"strconv"
)

// options are those of every ssh of ours. It must never ask, and must notice a
// link that died; both intervals are given because distributions set their own.
// The user's connection sharing is left out: Windows' ssh has none and stumbles
// over the option, and an end of ours would not end the connection.
func (h Host) options() []string {
	args := []string{
		"-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=8", "-o", "ServerAliveInterval=5",
		"-o", "ServerAliveCountMax=3", "-o", "ControlMaster=no", "-o", "ControlPath=none",
	}
	if h.port != 0 {
		args = append(args, "-p", strconv.Itoa(h.port))
	}
	return args
}

// Command gives the program and the arguments that run a command on the host.
// The words reach the host's shell joined by spaces: they must be words of ours
// that mean the same in every shell, Windows' cmd included.
func (h Host) Command(words ...string) (name string, args []string) {
	return "ssh", slices.Concat(h.options(), []string{"--", h.destination()}, words)
}

// forward gives the arguments that hold a tunnel open from a port of this
// computer's loopback. strict makes ssh end when any forwarding cannot be set
// up, also one of the user's configuration. What ssh says at -vv tells when the
// tunnel is ready and whether a connection through it arrived.
func (a Address) forward(port int, strict bool) (name string, args []string) {
	end := "no"
	if strict {
		end = "yes"
	}
	return "ssh", slices.Concat([]string{"-N", "-vv"}, a.Host.options(), []string{
		"-o", "ExitOnForwardFailure=" + end, "-L", "127.0.0.1:" + strconv.Itoa(port) + ":" + a.at,
		"--", a.Host.destination(),
	})
}

package remote

import (
	"strings"

	"reckoner/scheduler/job"
)

// Fault is what ssh's last words mean.
type Fault string

// The faults of ssh.
const (
	NoFault     Fault = ""
	UnknownHost Fault = "ssh_unknown_host" // nobody accepted the computer's key yet
	HostChanged Fault = "ssh_host_changed" // another key than the one that was accepted
	LoginNeeded Fault = "ssh_auth"
	NameUnknown Fault = "ssh_unresolved"
	NotReached  Fault = "ssh_unreachable"
	LinkLost    Fault = "ssh_lost"
	NoSharing   Fault = "ssh_mux_unsupported"
)

// FaultOf finds what ssh means in what it said on standard error. A changed key
// is told before an unknown one: both end in the same sentence.
func FaultOf(stderr string) Fault {
	for _, s := range []struct {
		part string
		is   Fault
	}{
		{"HOST IDENTIFICATION HAS CHANGED", HostChanged},
		{"Host key verification failed", UnknownHost},
		{"Permission denied (", LoginNeeded},
		{"Too many authentication failures", LoginNeeded},
		{"Could not resolve hostname", NameUnknown},
		{"Connection refused", NotReached},
		{"Connection timed out", NotReached},
		{"Operation timed out", NotReached},
		{"No route to host", NotReached},
		{"Network is unreachable", NotReached},
		{"not responding", LinkLost},
		{"closed by remote host", LinkLost},
		{"Connection closed by", LinkLost},
		{"Connection reset", LinkLost},
		{"getsockname failed: Not a socket", NoSharing},
	} {
		if strings.Contains(stderr, s.part) {
			return s.is
		}
	}
	return NoFault
}

// Code gives the code of job for a fault of a tunnel: in any case nothing
// reached the server.
func (f Fault) Code() string {
	switch f {
	case UnknownHost:
		return job.ErrHostKey
	case HostChanged:
		return job.ErrHostKeyChanged
	case LoginNeeded:
		return job.ErrLogin
	default:
		return job.ErrUnreachable
	}
}

// needsPerson tells faults that trying again does not mend.
func needsPerson(code string) bool {
	return code == job.ErrHostKey || code == job.ErrHostKeyChanged || code == job.ErrLogin
}

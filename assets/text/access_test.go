package text

import (
	"strings"
	"testing"

	"reckoner/scheduler/job"
)

// What keeps us out of a server says which of the ways to it is blocked, and
// what to do there.
func TestWhatKeepsUsOutIsSaidWithWhatToDo(t *testing.T) {
	const behind = "ssh:gpu-1"
	for _, c := range []struct {
		code string
		args job.Args
		what string
		next string
	}{
		{
			job.ErrUnreachable, job.Args{Server: behind, Value: behind, Detail: "GET /prompt: to 127.0.0.1:8188 as seen from " +
				"there: connect failed: Connection refused"}, "nothing answers at 127.0.0.1:8188 there", "Start ComfyUI there",
		},
		{
			job.ErrUnreachable, job.Args{Server: behind, Value: behind, Detail: "GET /prompt: ssh: connect to host gpu-1 port 22: " +
				"Connection refused"}, "No connection through ssh to ssh:gpu-1: nothing listens there", "without a question",
		},
		{
			job.ErrUnreachable,
			job.Args{Server: behind, Value: behind, Detail: "GET /prompt: ssh is not installed on this computer"},
			"not installed", "Install OpenSSH",
		},
		{job.ErrLogin, job.Args{Server: behind, Value: behind}, "login through ssh was refused", "name and key"},
		{job.ErrLogin, job.Args{Server: "http://gpu-1", Status: 401}, "asks for a login", "token"},
		{job.ErrUnreachable, job.Args{Server: "http://gpu-1", Detail: "connection refused"}, "No connection to", "ComfyUI runs there"},
		{
			job.ErrHostKey,
			job.Args{Server: behind, Value: behind, Fingerprint: "ssh-ed25519 SHA256:abc"},
			"Its key is ssh-ed25519 SHA256:abc", "check its key",
		},
		{job.ErrHostKeyChanged, job.Args{Value: behind, Fingerprint: "ssh-rsa SHA256:d"}, "another key", "another computer answers"},
		{job.ErrTLS, job.Args{Server: "https://gpu-1", Fingerprint: "AB:CD"}, "fingerprint is AB:CD", "cert FINGERPRINT"},
		{job.ErrTLS, job.Args{Server: "https://gpu-1"}, "not trusted", "Install its authority"},
		{
			job.ErrKeyring,
			job.Args{Server: "http://gpu-1", Detail: "GET /queue: the system's keyring does not answer"},
			"could not be read: the system's keyring does not answer", "Unlock the keyring",
		},
		{job.ErrNotWorking, job.Args{Server: "gpu-1", Seconds: 20}, "gpu-1 takes prompts, but did not run", "restart of ComfyUI"},
	} {
		what, next := English.Error(job.Errorf(c.code, c.args, nil))
		if !strings.Contains(what, c.what) || !strings.Contains(next, c.next) {
			t.Errorf("%s %+v: %q, %q", c.code, c.args, what, next)
		}
	}
}

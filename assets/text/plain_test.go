package text_test

import (
	"strings"
	"testing"
	"unicode"

	"reckoner/assets/text"
	"reckoner/scheduler/job"
)

// nasty is a text from outside that would steer a terminal, break the line and
// turn what follows it around.
const nasty = "a\x1b]0;pwn\x07\x1b[31mred\r\nb\u009b2J\u202egnp\u2066\u2028\x7f\xff"

func TestATextFromOutsideIsOnlyRead(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"a name", "harbour-night é 東京 🎬", "harbour-night é 東京 🎬"},
		{"joined letters", "👩\u200d🚀", "👩\u200d🚀"},
		{"colours", "\x1b[31mred", `\x1b[31mred`},
		{"lines", "a\r\nb\tc", `a\r\nb\tc`},
		{"another direction", "\u202egnp.exe", `\u202egnp.exe`},
		{"no text", "a\xff", `a\xff`},
	} {
		if got := text.Plain(c.in); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := text.PlainLines("a\n\x1bb"); got != "a\n\\x1bb" {
		t.Errorf("of several lines: %q", got)
	}
}

// Given a server, a file and a job whose names steer terminals, when anything is
// said about them, then it is one line of plain text.
func TestEverySentenceIsPlain(t *testing.T) {
	l := text.English
	a := job.Args{Server: nasty, Job: nasty, File: nasty, Detail: nasty, Value: nasty, Machine: nasty, Node: nasty, Class: nasty}
	said := []string{
		l.Say(job.Say{Code: job.StoryStarted, Args: a}), l.Say(job.Say{Code: nasty}),
		l.Hold(job.Hold{Say: job.Say{Code: job.SayRunOpen, Args: a}}),
		l.Event(job.Event{Kind: job.EventStarted, Job: &job.Job{Name: nasty}, Server: &job.Server{Name: nasty}}),
		l.Type(job.Type{Task: nasty}),
	}
	refused := job.Errorf(job.ErrRefused, a, nil)
	refused.Faults = []job.NodeFault{{Node: nasty, Class: nasty, Message: nasty, Value: nasty, Allowed: []string{nasty}}}
	for _, err := range []*job.Error{refused, job.Errorf(job.ErrDisk, a, nil), job.Errorf("new", a, nil)} {
		what, next := l.Error(err)
		said = append(said, what, next)
	}
	for _, s := range said {
		if i := strings.IndexFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == '\u202e' || r == '\u2028' }); i >= 0 {
			t.Errorf("at %d: %q", i, s)
		}
	}
}

// Given what the network and the system say, when it is told, then the sentence
// and the advice are those of that reason.
func TestReasonsHaveTheirOwnWords(t *testing.T) {
	for _, c := range []struct {
		name             string
		err              *job.Error
		says, never, way string
	}{
		{
			"no rights in a folder", job.Errorf(job.ErrDisk, job.Args{File: "/srv/a", Detail: "mkdir /srv/a: permission denied"}, nil),
			"Writing /srv/a on this computer went wrong: permission denied.", "mkdir", "Make it writable",
		},
		{
			"a full disk", job.Errorf(job.ErrDisk, job.Args{File: "/srv/a", Detail: "write /srv/a: no space left on device"}, nil),
			"no space left on device", "write /srv/a", "Make room",
		},
		{
			"a file in the way", job.Errorf(job.ErrDisk, job.Args{File: "/srv/a", Detail: "mkdir /srv: not a directory"}, nil),
			"not a directory", "Make room", "choose another folder",
		},
		{
			"an answer that broke off", job.Errorf(job.ErrBusy, job.Args{Server: "gpu-1", Detail: "GET /prompt: unexpected EOF"}, nil),
			"gpu-1 broke the connection off", "in time", "starting or ending",
		},
		{
			"a redirect", job.Errorf(job.ErrNotComfy, job.Args{
				Server: "gpu-1", Status: 302, Detail: "GET /prompt: redirect to http://gpu-2:8188/prompt",
			}, nil),
			"sends on to http://gpu-2:8188/prompt (status 302)", "login", "use its address",
		},
		{
			"a login page", job.Errorf(job.ErrLogin, job.Args{
				Server: "gpu-1", Status: 302, Detail: "GET /prompt: redirect to https://sso.test/login",
			}, nil),
			"asks for a login at https://sso.test/login (status 302)", "may be loading", "token",
		},
		{
			"a huge answer", job.Errorf(job.ErrTooLarge, job.Args{Server: "gpu-1", Bytes: 1 << 20}, nil),
			"larger than Reckoner reads (more than 1 MiB)", "max-upload-size", "Check the address",
		},
		{
			"a huge job", job.Errorf(job.ErrTooLarge, job.Args{Server: "gpu-1", Status: 413}, nil),
			"too large for gpu-1 (status 413)", "answer", "max-upload-size",
		},
		{
			"an empty result", job.Errorf(job.ErrShortFile, job.Args{Server: "gpu-1", File: "a.png", Value: "empty"}, nil),
			"a.png came empty from gpu-1", "too early", "again",
		},
		{
			"a recording that is not there", job.Errorf(job.ErrUnreadable, job.Args{
				Value: "file:/nope", Detail: "open /nope: no such file or directory",
			}, nil),
			"No GPU readings from file:/nope: it could not be read: no such file or directory.", "queued", "Check that it is there",
		},
		{
			"a record without an end", job.Errorf(job.ErrNoOutcome, job.Args{Server: "gpu-1"}, nil),
			"gpu-1 does not say how it ended", "failed", "run it again",
		},
	} {
		what, next := text.English.Error(c.err)
		if !strings.Contains(what, c.says) || strings.Contains(what+next, c.never) || !strings.Contains(next, c.way) {
			t.Errorf("%s: %q, %q", c.name, what, next)
		}
	}
}

func TestAFinalErrorPromisesNothing(t *testing.T) {
	for _, err := range []*job.Error{
		job.Errorf(job.ErrBusy, job.Args{Server: "gpu-1"}, nil),
		job.Errorf(job.ErrServerFault, job.Args{Server: "gpu-1"}, nil),
		job.Errorf(job.ErrDisk, job.Args{File: "a", Detail: "write a: no space left on device"}, nil),
	} {
		if _, next := text.English.FinalError(err); strings.Contains(next, "again") || next == "" {
			t.Errorf("%s: %q", err.Code, next)
		}
	}
}

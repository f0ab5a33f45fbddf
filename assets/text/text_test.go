package text_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"reckoner/assets/text"
	"reckoner/scheduler/job"
)

func TestFigures(t *testing.T) {
	l := text.English
	for _, c := range []struct{ name, got, want string }{
		{"no time", l.Duration(0), "0 s"},
		{"tenths", l.Duration(1.24), "1.2 s"},
		{"seconds", l.Duration(45.4), "45 s"},
		{"just under a minute", l.Duration(59.7), "1 min"},
		{"minutes and seconds", l.Duration(110), "1 min 50 s"},
		{"half an hour", l.Duration(1790), "29 min 50 s"},
		{"whole minutes", l.Duration(120), "2 min"},
		{"just under an hour", l.Duration(3599.6), "1 h"},
		{"hours", l.Duration(3840), "1 h 4 min"},
		{"just under a day", l.Duration(86390), "1 d"},
		{"days", l.Duration(90000), "1 d 1 h"},
		{"not a number", l.Duration(math.NaN()), "0 s"},
		{"negative", l.Duration(-3), "0 s"},
		{"median", l.Usual(282), "4.7 min"},
		{"median of a quarter of an hour", l.Usual(864), "14.4 min"},
		{"median under a minute", l.Usual(45.2), "45 s"},
		{"median of hours", l.Usual(4680), "1.3 h"},
		{"about, of little spread", l.About(113, 8), "1 min 50 s"},
		{"about, of seconds", l.About(23, 0), "25 s"},
		{"about, nearly over", l.About(0.4, 0), "5 s"},
		{"about, of minutes", l.About(1234, 0), "21 min"},
		{"about, of great spread", l.About(284, 300), "5 min"},
		{"memory", l.Bytes(16320875725), "15.2 GiB"},
		{"whole memory", l.Bytes(24 << 30), "24 GiB"},
		{"a picture", l.Bytes(3 << 20), "3 MiB"},
		{"a text", l.Bytes(2048), "2 KiB"},
		{"nothing", l.Bytes(0), "0 B"},
		{"no clock", l.Clock(time.Time{}), ""},
		{"clock", l.Clock(time.Date(2026, 11, 30, 21, 16, 40, 0, time.Local)), "21:16"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestCaptionsSayWhatTheyRestOn(t *testing.T) {
	at := time.Date(2026, 11, 30, 21, 16, 0, 0, time.Local)
	for code, c := range map[string]struct {
		args job.Args
		want string
	}{
		job.CaptionEstimate: {
			job.Args{Seconds: 112, UpTo: 120, At: at, Count: 18},
			"Estimate: about 1 min 50 s left, done about 21:16 (18 past runs)",
		},
		job.CaptionPastHalf: {
			job.Args{UpTo: 42, Count: 18}, "Estimate: longer than half of 18 past runs; the rest took up to 40 s more",
		},
		job.CaptionFew: {job.Args{Seconds: 270, UpTo: 294, Count: 2}, "Estimate: 2 past runs took 4.5 to 4.9 min"},
		job.CaptionAlarm: {
			job.Args{Seconds: 1748, UpTo: 282, Count: 41},
			"29 min 8 s: 6.2 times the usual 4.7 min, longer than all 41 past runs. Something is slowing or holding this job",
		},
		job.CaptionOtherGPU: {
			job.Args{Seconds: 180, UpTo: 420, Count: 41, GPU: "RTX 4090"},
			"First on this GPU, so no bar yet: 41 runs on RTX 4090 suggest 3 to 7 min",
		},
		job.CaptionSimilar: {
			job.Args{Seconds: 180, UpTo: 420, Count: 5}, "First of its kind, so no bar yet: similar jobs suggest 3 to 7 min",
		},
		job.CaptionOver: {
			job.Args{Seconds: 1790, Count: 41},
			"29 min 50 s: longer than all 41 past runs, so no estimate of what is left",
		},
		job.CaptionFirst: {
			job.Args{Seconds: 190}, "First of its kind, so no estimate yet: 3 min 10 s so far",
		},
		job.CaptionQueued: {
			job.Args{Server: "attic", Count: 2}, "On attic, which has not started it: 2 prompts before it",
		},
	} {
		if got := text.English.Say(job.Say{Code: code, Args: c.args}); got != c.want {
			t.Errorf("%s: %q, want %q", code, got, c.want)
		}
	}
	one := text.English.Say(job.Say{Code: job.CaptionFew, Args: job.Args{Seconds: 282, UpTo: 282, Count: 1}})
	if one != "Estimate: 1 past run took 4.7 min" {
		t.Errorf("one past run: %q", one)
	}
}

// Bars that a clock drives say so on the bar (DESIGN, rule 2).
func TestACaptionOfAClockBeginsWithEstimate(t *testing.T) {
	for _, code := range []string{job.CaptionEstimate, job.CaptionPastHalf, job.CaptionFew} {
		got := text.English.Say(job.Say{Code: code, Args: full})
		if !strings.HasPrefix(got, "Estimate") || !strings.Contains(got, "3 past runs") {
			t.Errorf("%s: %q does not say that it is an estimate, or from what", code, got)
		}
	}
}

func TestTypeLeavesOutWhatIsNotKnown(t *testing.T) {
	for want, typ := range map[string]job.Type{
		"Image to video · 640 × 640 · 161 frames · 20 steps": {
			Task: job.TaskImageToVideo,
			Cost: job.Cost{Width: 640, Height: 640, Frames: 161, Steps: 20, Batch: 1, FPS: 16},
		},
		"Text to image · 1024 × 1024 · batch of 4 · 1 step": {
			Task: job.TaskTextToImage, Cost: job.Cost{Width: 1024, Height: 1024, Batch: 4, Steps: 1},
		},
		"Other work": {},
	} {
		if got := text.English.Type(typ); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestHoldsAreOneLine(t *testing.T) {
	hold := func(code string, args job.Args) job.Hold { return job.Hold{Say: job.Say{Code: code, Args: args}} }
	stop := hold(job.SayStopping, job.Args{Job: "harbour-night", Server: "gpu-1"})
	other := hold(job.SayForeign, job.Args{Server: "gpu-1", Count: 2, Seconds: 34})
	got := text.English.Holds([]job.Hold{stop, stop, other})
	want := "waiting for harbour-night to stop on gpu-1, and for other work on gpu-1 to end " +
		"(2 prompts now, one about every 35 s)"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := text.English.Holds(nil); got != "" {
		t.Errorf("no holds give %q", got)
	}
	away := hold(job.SayUnreachable, job.Args{Server: "attic", Detail: job.ErrUnreachable})
	if got := text.English.Hold(away); got != "waiting for attic to answer (no connection)" {
		t.Errorf("unreachable: %q", got)
	}
	if got := text.English.Say(away.Say); got != "Waiting for attic to answer (no connection)" {
		t.Errorf("as a sentence: %q", got)
	}
}

func TestErrorsNameTheJobTheMachineAndTheWayOn(t *testing.T) {
	refused := job.Errorf(job.ErrRefused, job.Args{Server: "gpu-1"}, nil)
	refused.Faults = []job.NodeFault{{
		Node: "4", Class: "CheckpointLoaderSimple", Input: "ckpt_name", Message: "Value not in list",
		Value: "x.safetensors", Allowed: []string{"a", "b", "c", "d", "e", "f"},
	}, {Node: "5"}}
	for _, c := range []struct {
		err        *job.Error
		what, next string
	}{
		{
			refused,
			"gpu-1 refused the workflow at node 4 (CheckpointLoaderSimple), input ckpt_name: Value not in list " +
				"(given: x.safetensors) and 1 more. Nothing was run.",
			"Allowed there: a, b, c, d and 2 more. Change it, or use a server that has what the job names.",
		},
		{
			job.Errorf(job.ErrUIFormat, job.Args{File: "walk.json"}, nil),
			"walk.json is a workflow in the format of ComfyUI's page, and no render server answered " +
				"that could tell what its nodes are. Nothing was queued.",
			"Add it again when a server answers, or choose Workflow > Export (API) in ComfyUI's page and add that file.",
		},
		{
			job.Errorf(job.ErrTruncated, job.Args{File: "walk.json", Count: 103}, nil),
			"walk.json is cut off: it ends in the middle, in line 103. Nothing was queued.",
			"Copy or download it again; the rest is missing.",
		},
		{
			job.Errorf(job.ErrPicture, job.Args{File: "walk.mp4", Value: "mp4", Count: 1}, nil),
			"walk.mp4 is an MP4 video with a workflow inside that could not be read. Nothing was queued.",
			"Drop it on ComfyUI's page, choose Workflow > Export (API) there, then add that file.",
		},
		{
			job.Errorf(job.ErrUnreachable, job.Args{
				Server: "http://127.0.0.1:9", Detail: "dial tcp 127.0.0.1:9: connect: connection refused",
			}, nil),
			"No connection to http://127.0.0.1:9: nothing listens there (connection refused). Nothing was sent.",
			"Check that ComfyUI runs there and that address and port are right.",
		},
		{
			job.Errorf(job.ErrNotComfy, job.Args{Server: "http://127.0.0.1:9"}, nil),
			"http://127.0.0.1:9 answers, but not as ComfyUI does. Nothing was sent.",
			"Check the address: a proxy, a login page or another program may answer there.",
		},
		{job.Errorf("something_new", job.Args{Detail: "raw"}, nil), "something_new: raw", ""},
		{nil, "", ""},
	} {
		what, next := text.English.Error(c.err)
		if what != c.what || next != c.next {
			t.Errorf("got  %q, %q\nwant %q, %q", what, next, c.what, c.next)
		}
	}
}

func TestEventsTellTheStoryInTheTerminal(t *testing.T) {
	j := &job.Job{Name: "harbour-night", Outcome: job.JobTimedOut}
	r := &job.Run{
		LimitS: 1782, Outcome: job.RunSucceeded, Label: job.Clean, Seconds: job.Known(282.0),
		Witnesses: []job.Witness{{Kind: job.SawLeaveSlot}, {Kind: job.SawHistory}},
	}
	s := &job.Server{Name: "gpu-1"}
	for kind, want := range map[job.EventKind]string{
		job.EventStarted:     "harbour-night: started on gpu-1",
		job.EventLimit:       "harbour-night: your limit of 29 min 42 s passed",
		job.EventInterrupt:   "harbour-night: told gpu-1 to stop it",
		job.EventUnconfirmed: "harbour-night: gpu-1 has not confirmed the stop after 1 min; Reckoner keeps looking",
		job.EventStopped: "harbour-night: known to have ended on gpu-1, 1 min after the stop " +
			"(it left the server's running slot; the server's history has it)",
		job.EventRunEnded: "harbour-night: succeeded on gpu-1 after 4 min 42 s, GPU to itself",
		job.EventJobEnded: "harbour-night: your limit passed",
		job.EventProgress: "harbour-night: First of its kind, so no estimate yet: 10 s so far" +
			" · server reports step 9 of 20",
		job.EventForeign: "Other work on gpu-1: 14 prompts in 8 min, one about every 35 s",
		job.EventReading: "",
	} {
		e := job.Event{
			Kind: kind, Job: j, Run: r, Server: s, AfterS: 60,
			Bar:     job.Bar{Caption: job.Say{Code: job.CaptionFirst, Args: job.Args{Seconds: 10}}},
			Step:    job.Known(job.Step{Value: 9, Max: 20}),
			Foreign: &job.ForeignWork{Prompts: 14, OverS: 480, EveryS: job.Known(35.0)},
		}
		if got := text.English.Event(e); got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}

func TestEveryEventHasALineEvenWhenLittleIsKnown(t *testing.T) {
	for _, c := range constants(t) {
		if c.typ != "EventKind" || c.value == string(job.EventReading) {
			continue
		}
		noTool := job.Errorf(job.ErrNoTool, job.Args{}, nil)
		e := job.Event{Kind: job.EventKind(c.value), Question: &job.Question{}, Err: noTool}
		if got := text.English.Event(e); got == "" {
			t.Errorf("%s has no line", c.name)
		}
	}
}

func TestWhatTheUserSaidOfARunIsInTheLog(t *testing.T) {
	at := time.Date(2026, 5, 12, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		args job.Args
		want string
	}{
		{
			job.Args{Value: "shared", RunS: 864, Seconds: 282, Count: 41, UpTo: 864, Of: 5},
			"On 12 May you said that other work was on the GPU during one run of 14.4 min: the usual time is 4.7 min " +
				"(41 runs), before it 14.4 min (5 runs)",
		},
		{
			job.Args{Value: "set_aside", RunS: 282, Seconds: 282, UpTo: 282, Count: 41, Of: 41},
			"On 12 May you set one run of 4.7 min aside: the usual time stays 4.7 min (41 runs)",
		},
		{job.Args{Value: "undo", RunS: 282, Of: 1, UpTo: 282}, "On 12 May you took back what you had said of one run of " +
			"4.7 min: no run is counted now"},
	} {
		c.args.At = at
		if got := text.English.Say(job.Say{Code: job.BaselineCorrected, Args: c.args}); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

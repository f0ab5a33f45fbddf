package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"reckoner/scheduler/job"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Given one event of every kind, then each line has exactly the fields of the
// table, in its order, with null for what is absent. The sentences themselves
// are assets/text's and may change.
func TestEveryKindOfEventHasItsLine(t *testing.T) {
	var got strings.Builder
	seen := map[job.EventKind]bool{}
	for _, ev := range everyEvent() {
		said, err := testEncoder().said(ev)
		if err != nil {
			t.Fatalf("%s: %v", ev.Kind, err)
		}
		seen[ev.Kind] = true
		got.WriteString(blankWords(t, string(said.Line)) + "\n")
	}
	for _, kind := range allKinds() {
		if !seen[kind] {
			t.Errorf("no line of %s was looked at", kind)
		}
	}
	golden(t, "lines.jsonl", got.String())
}

// Given an event that lacks what it is about, then there is an error and no
// half a line.
func TestAnEventWithoutItsSubjectIsAnError(t *testing.T) {
	for _, kind := range append(allKinds(), "unheard_of") {
		if kind == job.EventForeign {
			continue // says what it can
		}
		if said, err := testEncoder().said(job.Event{Kind: kind}); err == nil {
			t.Errorf("%s without anything gave %s", kind, said.Line)
		}
	}
}

// Given lines, then what reads them back for people finds every field.
func TestLinesCanBeReadBack(t *testing.T) {
	for _, ev := range everyEvent() {
		said, err := testEncoder().said(ev)
		if err != nil {
			t.Fatal(err)
		}
		var back about
		if err := json.Unmarshal(said.Line, &back); err != nil {
			t.Errorf("%s: %v", said.Line, err)
		}
		if back.Event != ev.Kind || !time.Time(back.Time).Equal(ev.At.Wall) {
			t.Errorf("%s was read as %v at %v", said.Line, back.Event, time.Time(back.Time))
		}
	}
}

func TestRefusedInputsAreNamed(t *testing.T) {
	err := &job.Error{
		Say: job.Say{Code: job.ErrRefused, Args: job.Args{Server: "gpu-1"}},
		Faults: []job.NodeFault{{
			Node: "4", Class: "CheckpointLoaderSimple", Input: "ckpt_name", Type: "value_not_in_list",
			Message: "Value not in list", Value: "gone.safetensors", Allowed: []string{"a.safetensors", "b.safetensors"},
		}},
	}
	text := testEncoder().failure(err)
	for _, want := range []string{
		"4", "CheckpointLoaderSimple", "ckpt_name", "gone.safetensors", "a.safetensors", "b.safetensors",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q does not name %s", text, want)
		}
	}
}

func testEncoder() encoder { return encoder{} }

func allKinds() []job.EventKind {
	return []job.EventKind{
		job.EventJobAdded, job.EventHeld, job.EventReleased, job.EventRequeued, job.EventSubmitted, job.EventStarted, job.EventProgress,
		job.EventTrouble, job.EventTroubleOver, job.EventFetch, job.EventLimit, job.EventExtended, job.EventInterrupt, job.EventUnconfirmed, job.EventStopped,
		job.EventRunEnded, job.EventJobEnded, job.EventQuestion, job.EventDecided, job.EventForeign,
		job.EventReading, job.EventSourceError, job.EventNote, job.EventHandedOver, job.EventTakenBack,
	}
}

// everyEvent gives events of every kind: full ones, and ones with as much absent
// as can be.
func everyEvent() []job.Event {
	at := time.Date(2026, 3, 4, 5, 6, 7, 891234567, time.UTC).Truncate(time.Millisecond)
	ago := func(d time.Duration) time.Time { return at.Add(-d) }
	server := &job.Server{ID: "s1", Name: "gpu-1", URL: "http://gpu-1:8188"}
	machine := &job.Machine{ID: "m1", Name: "gpu-1"}
	j := &job.Job{
		ID: "j1", Batch: "b1", Name: "harbour-night", File: "/home/me/harbour-night.json",
		Type: job.Type{Key: "0a1b", Task: job.TaskImageToVideo, Cost: job.Cost{Width: 640, Height: 360, Frames: 161}},
	}
	ended := *j
	ended.State, ended.Outcome = job.JobEnded, job.JobTimedOut
	needs := *j
	needs.State, needs.Outcome = job.JobEnded, job.JobNeedsYou
	needs.Why = job.Errorf(job.ErrMissingNode, job.Args{Node: "3", Class: "Odd", Server: "gpu-1"}, nil)
	sent := &job.Run{ID: "r1", Job: "j1", Attempt: 1, URL: server.URL}
	run := &job.Run{
		ID: "r1", Job: "j1", Attempt: 2, URL: server.URL, PromptID: "p1", State: job.RunEnded,
		Forecast: job.Forecast{N: 41, LowS: 265, MidS: 282, HighS: 310.12345}, Seconds: job.Known(281.4),
		Outcome: job.RunSucceeded, Label: job.Shared, Start: job.Warm,
		Witnesses: []job.Witness{{Kind: job.SawLeaveSlot, At: ago(time.Second)}, {Kind: job.SawHistory, At: at}},
		Outputs:   []job.Output{{File: "/out/a.png", ServerName: "ComfyUI_00001_.png", Bytes: 12345}},
	}
	failed := &job.Run{
		ID: "r2", Job: "j1", Outcome: job.RunFailed,
		Err: job.Errorf(job.ErrNodeFailed, job.Args{Node: "3", Class: "KSampler", Detail: "Traceback"}, nil),
	}
	hold := job.Hold{
		Code: job.HoldForeign, Since: ago(time.Minute),
		Say: job.Say{Code: job.SayForeign, Args: job.Args{Server: "gpu-1", Count: 2}},
	}
	question := &job.Question{
		ID: "q1", Asked: job.Instant{Wall: at}, Due: at.Add(15 * time.Minute), Default: job.OutOfUse,
		Say: job.Say{Code: job.AskUnconfirmed, Args: job.Args{Job: "harbour-night", Server: "gpu-1", Seconds: 60}},
	}
	estimate := job.Bar{
		Kind: job.BarEstimate, Fraction: job.Known(0.5),
		Caption: job.Say{Code: job.CaptionEstimate, Args: job.Args{Count: 41, Seconds: 120, UpTo: 150, At: at}},
	}
	none := job.Bar{Kind: job.BarNone, Caption: job.Say{Code: job.CaptionFirst, Args: job.Args{Seconds: 9}}}
	events := []job.Event{
		{Kind: job.EventJobAdded, Job: j},
		{Kind: job.EventHeld, Job: j, Holds: []job.Hold{hold}},
		{Kind: job.EventReleased, Job: j},
		{Kind: job.EventRequeued, Job: j, Run: run, Why: job.Say{Code: job.AgainCut}},
		{Kind: job.EventHandedOver, Job: j, Run: sent},
		{Kind: job.EventTakenBack, Job: j, Run: run},
		{Kind: job.EventSubmitted, Run: sent},
		{Kind: job.EventStarted, Run: run},
		{
			Kind: job.EventProgress, Run: run, ElapsedS: 155.06, Bar: estimate,
			Step: job.Known(job.Step{Value: 3, Max: 20, Node: "7"}),
		},
		{Kind: job.EventProgress, Run: sent, ElapsedS: 9, Bar: none},
		{Kind: job.EventLimit, Run: run},
		{Kind: job.EventExtended, Run: run, ToS: 3564},
		{Kind: job.EventTrouble, Run: run, Err: job.Errorf(job.ErrUnreachable, job.Args{}, nil)},
		{Kind: job.EventTroubleOver, Run: run},
		{Kind: job.EventFetch, Run: run, Err: job.Errorf(job.ErrDisk, job.Args{}, nil), AgainAt: at},
		{Kind: job.EventInterrupt, Run: run, AfterS: 0.0123},
		{Kind: job.EventUnconfirmed, Run: run, AfterS: 60},
		{Kind: job.EventStopped, Run: run, AfterS: 1.5},
		{Kind: job.EventRunEnded, Run: run},
		{Kind: job.EventRunEnded, Run: failed},
		{Kind: job.EventJobEnded, Job: &ended},
		{Kind: job.EventJobEnded, Job: &needs},
		{Kind: job.EventQuestion, Question: question},
		{Kind: job.EventDecided, Question: question, Answer: job.OutOfUse, By: "default"},
		{
			Kind: job.EventForeign, Machine: machine, Server: server,
			Foreign: &job.ForeignWork{Prompts: 7, OverS: 210, EveryS: job.Known(35.0), Ahead: 2},
		},
		{Kind: job.EventNote, Machine: machine, Note: &job.Note{
			ID: "n1", Cause: job.CauseOtherClient, Status: job.NoteSupported,
			Claim:   job.Say{Code: job.NoteOtherClient, Args: job.Args{Machine: "gpu-1"}},
			Finding: job.Say{Code: job.NoteSawPrompts, Args: job.Args{Count: 14, UpTo: 480, Seconds: 35, Of: 2}},
			Test:    job.NoteTest{N: 41, MidS: 282, BoundS: 310.5},
			Results: []job.TestResult{{Verdict: job.TestReturned, Run: "r2", Say: job.Say{
				Code: job.NoteReturned, Args: job.Args{Seconds: 284, UpTo: 282, Value: "under 0.1 %"},
			}}},
		}},
		{Kind: job.EventNote, Note: &job.Note{ID: "n2", Cause: job.CauseByHand, Status: job.NoteProbable, Text: "mine"}},
		{
			Kind: job.EventReading, Machine: machine, Reading: &job.Reading{
				At: ago(1500 * time.Millisecond), Source: "prom:http://gpu-1:9835/metrics",
				GPU:  job.GPU{UUID: "1a2b", Index: job.Known(0), Name: "NVIDIA GeForce RTX 5060 Ti"},
				Util: job.Known(100.0), Power: job.Known(43.0), Limit: job.Known(180.0),
				MemUsed: job.Known(int64(16750372455)), MemTotal: job.Known(int64(17102991360)), Temp: job.Known(51.0),
				Reasons: []string{"sw_power_cap"},
			},
		},
		{Kind: job.EventReading, Reading: &job.Reading{At: at, Source: "comfy:http://gpu-1:8188"}},
		{
			Kind: job.EventSourceError, Source: "nvidia-smi",
			Err: job.Errorf(job.ErrNoTool, job.Args{Detail: "not found"}, nil),
		},
	}
	for i := range events {
		events[i].At = job.Instant{Wall: at}
	}
	return events
}

var wordsOf = regexp.MustCompile(`"(text|caption|next|job_type_text)":"((?:[^"\\]|\\.)*)"`)

// blankWords takes the sentences out of a line, after making sure that they are
// there.
func blankWords(t *testing.T, line string) string {
	t.Helper()
	return wordsOf.ReplaceAllStringFunc(line, func(s string) string {
		m := wordsOf.FindStringSubmatch(s)
		if m[2] == "" {
			t.Errorf("no words in %s of %s", m[1], line)
		}
		return `"` + m[1] + `":"…"`
	})
}

// golden compares with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	if reflect.DeepEqual(g, w) {
		return
	}
	for i := range max(len(g), len(w)) {
		if at(g, i) != at(w, i) {
			t.Errorf("%s, line %d\n got %s\nwant %s", path, i+1, at(g, i), at(w, i))
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(no line)"
}

// Given an event of a kind that has no JSON line, then a run that is followed goes
// on, and the log says what was left out.
func TestAnEventWithoutALineStopsNoRun(t *testing.T) {
	var log bytes.Buffer
	c := conductor{log: slog.New(slog.NewTextHandler(&log, nil))}
	err := c.tell(job.Event{Kind: "brand_new", Job: &job.Job{}, Run: &job.Run{}}, func(said) error {
		t.Error("it was told")
		return nil
	})
	if err != nil || !strings.Contains(log.String(), "brand_new") {
		t.Errorf("error %v, log %q", err, log.String())
	}
}

package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"reckoner/assets/text"
	"reckoner/scheduler/job"
)

// encoder turns events into the JSON lines of INTERFACES.md. It is the only
// place that knows their fields.
type encoder struct {
	// words are English (the zero Language) whatever the locale: scripts read
	// them.
	words text.Language
}

// errNoLine says that an event has no JSON line: the table of INTERFACES.md does
// not have it.
var errNoLine = errors.New("an event without a JSON line")

// stamp is a time as every line has it: RFC 3339, UTC, milliseconds.
type stamp time.Time

func (s stamp) MarshalJSON() ([]byte, error) {
	if time.Time(s).IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + time.Time(s).UTC().Format("2006-01-02T15:04:05.000Z") + `"`), nil
}

func (s *stamp) UnmarshalJSON(b []byte) error {
	var t time.Time
	if string(b) != "null" {
		if err := json.Unmarshal(b, &t); err != nil {
			return err
		}
	}
	*s = stamp(t)
	return nil
}

// Lines that no engine makes.
const (
	eventDemo    job.EventKind = "demo"
	eventProcess job.EventKind = "process"
)

// head begins every line.
type head struct {
	Time  stamp         `json:"time"`
	Event job.EventKind `json:"event"`
}

// The lines, one type a row of the table. Pointers and Maybe are null when a
// figure is absent.
type (
	demoLine struct {
		head
		Speed float64 `json:"speed"`
	}
	jobAddedLine struct {
		head
		Job         job.ID `json:"job"`
		Batch       job.ID `json:"batch"`
		File        string `json:"file"`
		Name        string `json:"name"`
		JobType     string `json:"job_type"`
		JobTypeText string `json:"job_type_text"`
	}
	holdLine struct {
		head
		Job     job.ID       `json:"job"`
		Reasons []holdReason `json:"reasons"`
	}
	holdReason struct {
		Code  job.HoldCode `json:"code"`
		Text  string       `json:"text"`
		Since stamp        `json:"since"`
	}
	jobsLine struct {
		head
		Jobs []job.ID `json:"jobs"`
	}
	requeuedLine struct {
		head
		Job    job.ID  `json:"job"`
		Run    job.ID  `json:"run"`
		Reason sayPart `json:"reason"`
	}
	sayPart struct {
		Code string `json:"code"`
		Text string `json:"text"`
	}
	troubleLine struct {
		head
		Run     job.ID     `json:"run"`
		Job     job.ID     `json:"job"`
		Error   *errorPart `json:"error"`
		AgainAt any        `json:"again_at"` // a stamp, or null
	}
	runLine struct {
		head
		Run      job.ID  `json:"run"`
		Job      job.ID  `json:"job"`
		Server   string  `json:"server"`
		PromptID *string `json:"prompt_id"`
		Attempt  int     `json:"attempt"`
	}
	progressLine struct {
		head
		Run      job.ID              `json:"run"`
		ElapsedS float64             `json:"elapsed_s"`
		Bar      barPart             `json:"bar"`
		LowS     *float64            `json:"low_s"`
		MidS     *float64            `json:"mid_s"`
		HighS    *float64            `json:"high_s"`
		N        int                 `json:"n"`
		Step     job.Maybe[job.Step] `json:"step"`
	}
	barPart struct {
		Kind     job.BarKind        `json:"kind"`
		Fraction job.Maybe[float64] `json:"fraction"`
		Caption  string             `json:"caption"`
	}
	runOnlyLine struct {
		head
		Run job.ID `json:"run"`
	}
	extendedLine struct {
		head
		Run job.ID  `json:"run"`
		ToS float64 `json:"to_s"`
	}
	afterLine struct {
		head
		Run    job.ID  `json:"run"`
		AfterS float64 `json:"after_s"`
	}
	stoppedLine struct {
		head
		Run       job.ID        `json:"run"`
		AfterS    float64       `json:"after_s"`
		Witnesses []witnessPart `json:"witnesses"`
	}
	witnessPart struct {
		Kind job.WitnessKind `json:"kind"`
		At   stamp           `json:"at"`
	}
	runEndedLine struct {
		head
		Run     job.ID             `json:"run"`
		Outcome job.RunOutcome     `json:"outcome"`
		Seconds job.Maybe[float64] `json:"seconds"`
		Label   *string            `json:"label"`
		Start   *string            `json:"start"`
		Outputs []outputPart       `json:"outputs"`
		Error   *errorPart         `json:"error"`
	}
	outputPart struct {
		File       string `json:"file"`
		ServerName string `json:"server_name"`
		Bytes      int64  `json:"bytes_b"`
	}
	errorPart struct {
		Code   string  `json:"code"`
		Text   string  `json:"text"`
		Detail *string `json:"detail"`
		Next   *string `json:"next"`
	}
	jobEndedLine struct {
		head
		Job          job.ID         `json:"job"`
		Outcome      job.JobOutcome `json:"outcome"`
		FinishedLate bool           `json:"finished_late"`
		// Error says why, also for a job that ended before it had a run.
		Error *errorPart `json:"error"`
	}
	questionLine struct {
		head
		ID      job.ID     `json:"id"`
		Text    string     `json:"text"`
		Default job.Answer `json:"default"`
		At      stamp      `json:"at"` // when the default is taken
	}
	decidedLine struct {
		head
		ID      job.ID     `json:"id"`
		Text    string     `json:"text"`
		Default job.Answer `json:"default"`
		At      stamp      `json:"at"`
		Answer  job.Answer `json:"answer"`
		By      string     `json:"by"`
	}
	foreignLine struct {
		head
		Machine string             `json:"machine"`
		Server  string             `json:"server"`
		Prompts int                `json:"prompts"`
		EveryS  job.Maybe[float64] `json:"every_s"`
		Text    string             `json:"text"`
	}
	readingLine struct {
		head
		Machine   *string            `json:"machine"`
		GPU       job.Maybe[int]     `json:"gpu"` // its index
		UUID      *string            `json:"uuid"`
		UtilPct   job.Maybe[float64] `json:"util_pct"`
		PowerW    job.Maybe[float64] `json:"power_w"`
		LimitW    job.Maybe[float64] `json:"limit_w"`
		MemUsedB  job.Maybe[int64]   `json:"mem_used_b"`
		MemTotalB job.Maybe[int64]   `json:"mem_total_b"`
		TempC     job.Maybe[float64] `json:"temp_c"`
		Reasons   []string           `json:"reasons"`
		Source    string             `json:"source"`
		AgeS      float64            `json:"age_s"`
	}
	processLine struct {
		head
		GPU  job.Maybe[int]     `json:"gpu"` // its index, as in its reading
		PID  int                `json:"pid"`
		Name string             `json:"name"`
		Mem  job.Maybe[int64]   `json:"mem_b"`
		SM   job.Maybe[float64] `json:"sm_pct"`
	}
	sourceErrorLine struct {
		head
		Source string  `json:"source"`
		Class  string  `json:"class"`
		Text   string  `json:"text"`
		Next   *string `json:"next"`
	}
)

// said is an event in JSON for scripts and in words for people. It travels over
// the socket as it is.
type said struct {
	Line json.RawMessage `json:"line"`
	Text string          `json:"text,omitempty"` // "" for what people need not read
}

// said says an event.
func (e encoder) said(ev job.Event) (said, error) {
	v, err := e.value(ev)
	if err != nil {
		return said{}, err
	}
	line, err := json.Marshal(v)
	return said{Line: line, Text: e.sentence(ev)}, err
}

// value gives what an event is in JSON. An event that lacks what its kind is
// about is an error of whoever made it.
func (e encoder) value(ev job.Event) (any, error) {
	h := head{Time: stamp(ev.At.Wall), Event: ev.Kind}
	switch ev.Kind {
	case job.EventJobAdded, job.EventHeld, job.EventReleased, job.EventRequeued, job.EventJobEnded,
		job.EventHandedOver, job.EventTakenBack:
		if ev.Job == nil {
			return nil, fmt.Errorf("event %s without a job", ev.Kind)
		}
		return e.jobValue(h, ev), nil
	case job.EventQuestion, job.EventDecided:
		if ev.Question == nil {
			return nil, fmt.Errorf("event %s without a question", ev.Kind)
		}
		return e.questionValue(h, ev), nil
	case job.EventForeign:
		return e.foreignValue(h, ev), nil
	case job.EventNote:
		if ev.Note == nil {
			return nil, fmt.Errorf("event %s without a note", ev.Kind)
		}
		return e.noteValue(h, ev), nil
	case job.EventReading:
		if ev.Reading == nil {
			return nil, fmt.Errorf("event %s without a reading", ev.Kind)
		}
		return readingValue(h, *ev.Reading, machineName(ev.Machine)), nil
	case job.EventSourceError:
		if ev.Err == nil {
			return nil, fmt.Errorf("event %s without an error", ev.Kind)
		}
		return e.sourceErrorValue(h, ev.Source, ev.Err), nil
	default:
		if ev.Run == nil {
			return nil, fmt.Errorf("event %s without a run", ev.Kind)
		}
		return e.runValue(h, ev)
	}
}

func (e encoder) jobValue(h head, ev job.Event) any {
	j := ev.Job
	switch ev.Kind {
	case job.EventJobAdded:
		return jobAddedLine{
			head: h, Job: j.ID, Batch: j.Batch, File: j.File, Name: j.Name,
			JobType: j.Type.Key, JobTypeText: e.words.Type(j.Type),
		}
	case job.EventRequeued:
		line := requeuedLine{head: h, Job: j.ID, Reason: sayPart{Code: ev.Why.Code, Text: e.words.Say(ev.Why)}}
		if ev.Run != nil {
			line.Run = ev.Run.ID
		}
		return line
	case job.EventHandedOver, job.EventTakenBack:
		return jobsLine{head: h, Jobs: []job.ID{j.ID}}
	case job.EventJobEnded:
		return jobEndedLine{
			head: h, Job: j.ID, Outcome: j.Outcome, FinishedLate: j.FinishedLate, Error: e.errorPart(j.Why),
		}
	default:
		reasons := []holdReason{}
		for _, r := range ev.Holds {
			reasons = append(reasons, holdReason{Code: r.Code, Text: e.words.Say(r.Say), Since: stamp(r.Since)})
		}
		return holdLine{head: h, Job: j.ID, Reasons: reasons}
	}
}

func (e encoder) runValue(h head, ev job.Event) (any, error) {
	r := ev.Run
	switch ev.Kind {
	case job.EventSubmitted, job.EventStarted:
		return runLine{
			head: h, Run: r.ID, Job: r.Job, Server: r.URL, PromptID: textOrNull(r.PromptID), Attempt: r.Attempt,
		}, nil
	case job.EventProgress:
		return e.progressValue(h, ev), nil
	case job.EventLimit:
		return runOnlyLine{head: h, Run: r.ID}, nil
	case job.EventExtended:
		return extendedLine{head: h, Run: r.ID, ToS: round3(ev.ToS)}, nil
	case job.EventInterrupt, job.EventUnconfirmed:
		return afterLine{head: h, Run: r.ID, AfterS: round3(ev.AfterS)}, nil
	case job.EventStopped:
		witnesses := []witnessPart{}
		for _, w := range r.Witnesses {
			witnesses = append(witnesses, witnessPart{Kind: w.Kind, At: stamp(w.At)})
		}
		return stoppedLine{head: h, Run: r.ID, AfterS: round3(ev.AfterS), Witnesses: witnesses}, nil
	case job.EventTrouble, job.EventTroubleOver, job.EventFetch:
		line := troubleLine{head: h, Run: r.ID, Job: r.Job, Error: e.errorPart(ev.Err)}
		if !ev.AgainAt.IsZero() {
			line.AgainAt = stamp(ev.AgainAt)
		}
		return line, nil
	case job.EventRunEnded:
		return e.runEndedValue(h, r), nil
	default:
		return nil, fmt.Errorf("%w: %q", errNoLine, ev.Kind)
	}
}

func (e encoder) progressValue(h head, ev job.Event) progressLine {
	f := ev.Run.Forecast
	return progressLine{
		head: h, Run: ev.Run.ID, ElapsedS: round3(ev.ElapsedS),
		Bar:  barPart{Kind: ev.Bar.Kind, Fraction: ev.Bar.Fraction, Caption: e.words.Say(ev.Bar.Caption)},
		LowS: figureOrNull(f.LowS), MidS: figureOrNull(f.MidS), HighS: figureOrNull(f.HighS), N: f.N,
		Step: ev.Step,
	}
}

func (e encoder) runEndedValue(h head, r *job.Run) runEndedLine {
	outputs := []outputPart{}
	for _, o := range r.Outputs {
		outputs = append(outputs, outputPart{File: o.File, ServerName: o.ServerName, Bytes: o.Bytes})
	}
	return runEndedLine{
		head: h, Run: r.ID, Outcome: r.Outcome, Seconds: r.Seconds,
		Label: textOrNull(string(r.Label)), Start: textOrNull(string(r.Start)),
		Outputs: outputs, Error: e.errorPart(r.Err),
	}
}

func (e encoder) questionValue(h head, ev job.Event) any {
	q := ev.Question
	text, at := e.words.Say(q.Say), stamp(q.Due)
	if ev.Kind == job.EventQuestion {
		return questionLine{head: h, ID: q.ID, Text: text, Default: q.Default, At: at}
	}
	return decidedLine{
		head: h, ID: q.ID, Text: text, Default: q.Default, At: stamp(ev.At.Wall), Answer: ev.Answer, By: ev.By,
	}
}

func (e encoder) foreignValue(h head, ev job.Event) foreignLine {
	l := foreignLine{head: h, Machine: machineName(ev.Machine), Text: e.words.Event(ev)}
	if ev.Server != nil {
		l.Server = ev.Server.URL
	}
	if ev.Foreign != nil {
		l.Prompts, l.EveryS = ev.Foreign.Prompts, ev.Foreign.EveryS
	}
	return l
}

func readingValue(h head, r job.Reading, machine string) readingLine {
	reasons := r.Reasons
	if reasons == nil {
		reasons = []string{}
	}
	age := time.Time(h.Time).Sub(r.At).Seconds()
	return readingLine{
		head: h, Machine: textOrNull(machine), GPU: r.GPU.Index, UUID: textOrNull(r.GPU.UUID),
		UtilPct: r.Util, PowerW: r.Power, LimitW: r.Limit, MemUsedB: r.MemUsed, MemTotalB: r.MemTotal,
		TempC: r.Temp, Reasons: reasons, Source: r.Source, AgeS: round3(max(age, 0)),
	}
}

func (e encoder) sourceErrorValue(h head, source string, err *job.Error) sourceErrorLine {
	what, next := e.words.Error(err)
	return sourceErrorLine{head: h, Source: source, Class: err.Code, Text: what, Next: textOrNull(next)}
}

func (e encoder) errorPart(err *job.Error) *errorPart {
	if err == nil {
		return nil
	}
	what, next := e.words.Error(err)
	return &errorPart{
		Code: err.Code, Text: what, Detail: textOrNull(err.Args.Detail), Next: textOrNull(next),
	}
}

func machineName(m *job.Machine) string {
	if m == nil {
		return ""
	}
	return m.Name
}

// textOrNull gives nil for a text that is not known.
func textOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// figureOrNull gives nil for a forecast's figure that is not known: no run
// takes no time.
func figureOrNull(f float64) *float64 {
	if f == 0 {
		return nil
	}
	f = round3(f)
	return &f
}

// round3 rounds to thousandths: nothing here is known more finely.
func round3(f float64) float64 { return math.Round(f*1000) / 1000 }

package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"reckoner/scheduler/job"
)

// leftOutShown is how many runs that are not counted are named, the newest.
const leftOutShown = 5

// estimateLine is what is known of one file's job, in JSON.
type estimateLine struct {
	File        string            `json:"file"`
	JobType     *string           `json:"job_type"`
	JobTypeText *string           `json:"job_type_text"`
	Machines    []estimateMachine `json:"machines"`
	Error       *errorPart        `json:"error"`
}

// estimateMachine is what is known on one GPU. Times are in seconds of the whole
// run.
type estimateMachine struct {
	GPU       string          `json:"gpu"`
	Server    *string         `json:"server"` // where its newest run went
	Level     *string         `json:"level"`  // exact, other_gpu, similar, or null
	N         int             `json:"n"`
	Unwatched int             `json:"unwatched"`
	LowS      *float64        `json:"low_s"`
	MidS      *float64        `json:"mid_s"`
	HighS     *float64        `json:"high_s"`
	LongestS  *float64        `json:"longest_s"`
	AlarmS    *float64        `json:"alarm_s"`
	ColdS     *float64        `json:"cold_s"`
	LimitS    *float64        `json:"limit_s"`
	Text      string          `json:"text"`
	Log       []estimateEntry `json:"log"`
}

// estimateEntry is a line of a baseline's log.
type estimateEntry struct {
	Seq     int              `json:"seq"`
	At      stamp            `json:"at"`
	Kind    job.RevisionKind `json:"kind"`
	By      job.RevisedBy    `json:"by"`
	Why     job.RevisionWhy  `json:"why"`
	N       int              `json:"n"`
	MidS    float64          `json:"mid_s"`
	WasMidS *float64         `json:"was_mid_s"`
	Text    string           `json:"text"`
}

// estimateFile says what is known of one file's job, and whether it is one.
func (s *shell) estimateFile(k *known, path string, asJSON bool) (bool, error) {
	f, said := readJobFile(path)
	e := s.encoder()
	line := estimateLine{File: path, Machines: []estimateMachine{}}
	if said != nil {
		if asJSON {
			line.Error = e.errorPart(said)
			return false, json.NewEncoder(s.env.Stdout).Encode(line)
		}
		_, err := fmt.Fprintf(s.env.Stderr, "%s: %s\n", path, e.failure(said))
		return false, err
	}
	line.JobType, line.JobTypeText = textOrNull(f.Type.Key), textOrNull(e.words.Type(f.Type))
	for _, gpu := range k.book.GPUs() {
		line.Machines = append(line.Machines, k.machine(e, f.Type, gpu))
	}
	if asJSON {
		return true, json.NewEncoder(s.env.Stdout).Encode(line)
	}
	return true, s.estimateText(line, k, e)
}

func (k *known) machine(e encoder, t job.Type, gpu string) estimateMachine {
	what := k.book.Estimate(t, gpu)
	f := what.Forecast()
	m := estimateMachine{
		GPU: gpu, Server: textOrNull(k.servers[gpu]), Level: textOrNull(string(f.Level)), N: f.N, Unwatched: f.Unwatched,
		LowS: figureOrNull(f.LowS), MidS: figureOrNull(f.MidS), HighS: figureOrNull(f.HighS),
		LongestS: figureOrNull(f.LongestS), AlarmS: figureOrNull(f.AlarmS), ColdS: figureOrNull(f.ColdS),
		LimitS: figureOrNull(f.LimitS), Log: []estimateEntry{},
	}
	says := []job.Say{what.Say(k.book.Since(t.Key, gpu))}
	if short, long, ok := what.Modes(); ok {
		says = append(says, job.Say{Code: job.BaselineTwoTimes, Args: job.Args{Seconds: short, UpTo: long}})
	}
	if f.ColdS > 0 {
		says = append(says, job.Say{Code: job.BaselineAddsCold, Args: job.Args{Seconds: f.ColdS}})
	}
	left := k.left[t.Key+"\x00"+gpu]
	says = append(says, left[max(0, len(left)-leftOutShown):]...)
	sentences := make([]string, 0, len(says))
	for _, s := range says {
		sentences = append(sentences, e.words.Say(s))
	}
	m.Text = strings.Join(sentences, ". ") + "."
	for _, r := range k.book.Revisions(t.Key, gpu) {
		m.Log = append(m.Log, estimateEntry{
			Seq: r.Seq, At: stamp(r.At), Kind: r.Kind, By: r.By, Why: r.Why, N: len(r.Runs), MidS: round3(r.MidS),
			WasMidS: figureOrNull(r.WasMidS), Text: e.words.Say(r.Say()),
		})
	}
	return m
}

func (s *shell) estimateText(l estimateLine, k *known, e encoder) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", l.File, orEmpty(l.JobTypeText))
	for _, m := range l.Machines {
		where := m.GPU
		if where == "" {
			where = "a GPU that is not known"
		}
		fmt.Fprintf(&b, "  %s%s\n    %s\n", where, inBrackets(orEmpty(m.Server)), m.Text)
		for _, entry := range m.Log {
			fmt.Fprintf(&b, "    %s.\n", entry.Text)
		}
	}
	if len(l.Machines) == 0 {
		fmt.Fprintf(&b, "  %s.\n", e.words.Say(job.Say{Code: job.BaselineNone}))
	}
	if k.short {
		short := job.Say{Code: job.BaselineDataShort, Args: job.Args{Count: estimateRuns}}
		fmt.Fprintf(&b, "  %s.\n", e.words.Say(short))
	}
	_, err := fmt.Fprint(s.env.Stdout, b.String())
	return err
}

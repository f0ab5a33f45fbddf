package history

import (
	"encoding/json"
	"fmt"
	"io"

	"reckoner/scheduler/job"
)

// List writes past runs as a JSON array, with all that their records hold: what
// happened, the conditions, and the thinned course of their GPU's readings.
type List struct {
	to io.Writer
	n  int
}

// NewList makes a list.
func NewList(to io.Writer) *List { return &List{to: to} }

// listed is a run as it is written.
type listed struct {
	Machine string   `json:"machine"`
	Job     string   `json:"job"`
	Type    job.Type `json:"job_type"`
	Run     job.Run  `json:"run"`
}

// Add writes a run.
func (l *List) Add(h job.HistoryRow, machine string) error {
	text, err := json.Marshal(listed{Machine: machine, Job: h.Job.Name, Type: h.Job.Type, Run: h.Run})
	if err != nil {
		return err
	}
	before := ",\n"
	if l.n == 0 {
		before = "[\n"
	}
	l.n++
	_, err = fmt.Fprintf(l.to, "%s%s", before, text)
	return err
}

// Close writes the end of the list.
func (l *List) Close() error {
	end := "\n]\n"
	if l.n == 0 {
		end = "[]\n"
	}
	_, err := io.WriteString(l.to, end)
	return err
}

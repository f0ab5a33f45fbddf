package cli

import (
	"context"
	"path/filepath"
	"strings"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
	"reckoner/scheduler/transfer"
)

// reportColumns are the columns of a batch's sheet. What is not known is empty;
// times are UTC.
var reportColumns = []string{
	"input", "job", "outcome", "why", "files", "seconds", "label", "machine", "added", "ended",
	"job_file", "job_id", "batch",
}

// report writes what became of each input of a batch next to its results.
func (e encoder) report(_ context.Context, r scheduler.Report) error {
	rows := make([][]string, 0, len(r.Rows))
	for _, v := range r.Rows {
		rows = append(rows, e.reportRow(v))
	}
	_, err := transfer.WriteSheet(r.To, reportColumns, rows)
	return err
}

func (e encoder) reportRow(v scheduler.JobView) []string {
	j := v.Job
	outcome, why := string(j.Outcome), ""
	if j.State != job.JobEnded {
		outcome = string(j.State)
	}
	if j.Why != nil {
		why, _ = e.words.FinalError(j.Why)
	}
	var inputs, files []string
	for _, in := range j.Inputs {
		if in.Path != "" {
			inputs = append(inputs, filepath.Base(in.Path))
		} else {
			inputs = append(inputs, in.File)
		}
	}
	seconds, label := job.Maybe[float64]{}, ""
	// Of a job that waits again the newest run is an earlier one.
	if r := v.Run; r != nil && j.State == job.JobEnded {
		seconds, label = r.Seconds, string(r.Label)
		for _, o := range r.Outputs {
			files = append(files, o.File)
		}
	}
	return []string{
		cell(strings.Join(inputs, "; ")), cell(j.Name), outcome, cell(why), cell(strings.Join(files, "; ")),
		figureCell(seconds), label, cell(v.MachineName), timeCell(stamp(j.Added)), timeCell(stamp(j.Ended)),
		cell(j.File), string(j.ID), string(j.Batch),
	}
}

package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"reckoner/scheduler/job"
	"reckoner/scheduler/jobfile"
)

// inspectLine is the JSON line of a file.
type inspectLine struct {
	File        string               `json:"file"`
	Format      *string              `json:"format"`
	JobType     *string              `json:"job_type"`
	JobTypeText *string              `json:"job_type_text"`
	Title       *string              `json:"title"`
	Nodes       int                  `json:"nodes"`
	Outputs     []jobfile.Output     `json:"outputs"`
	Inputs      []jobfile.MediaInput `json:"inputs"`
	Models      []string             `json:"models"`
	Cost        costPart             `json:"cost"`
	Warnings    []string             `json:"warnings"`
	Error       *errorPart           `json:"error"`
}

type costPart struct {
	Width  *float64 `json:"width"`
	Height *float64 `json:"height"`
	Frames *float64 `json:"frames"`
	Steps  *float64 `json:"steps"`
	Batch  *float64 `json:"batch"`
	FPS    *float64 `json:"fps"`
}

func (s *shell) inspectCommand() *cobra.Command {
	var asJSON, api bool
	cmd := &cobra.Command{
		Use:   "inspect [--json] [--api] FILE...",
		Short: "Say what files are, and what work they hold",
		Args:  args(cobra.MinimumNArgs(1)),
		RunE: func(_ *cobra.Command, files []string) error {
			bad := false
			for _, path := range files {
				ok, err := s.inspect(path, asJSON, api)
				if err != nil {
					return err
				}
				bad = bad || !ok
			}
			if bad {
				return &exitError{status: exitUsage}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a file")
	cmd.Flags().BoolVar(&api, "api", false, "print the graph as it would be sent, in ComfyUI's API format")
	return cmd
}

// inspect says what one file is, and whether it is a job.
func (s *shell) inspect(path string, asJSON, api bool) (bool, error) {
	f, said := readJobFile(path)
	if api && said == nil && !asJSON {
		_, err := fmt.Fprintf(s.env.Stdout, "%s\n", f.Graph.Raw)
		return true, err
	}
	e := s.encoder()
	line := e.inspectLine(path, f, said)
	if asJSON {
		return said == nil, json.NewEncoder(s.env.Stdout).Encode(line)
	}
	if said != nil {
		_, err := fmt.Fprintf(s.env.Stderr, "%s: %s\n", path, e.failure(said))
		return false, err
	}
	return true, s.inspectText(line)
}

// readJobFile reads a file as the engine will. The error is never without its
// code.
func readJobFile(path string) (jobfile.File, *job.Error) {
	file, err := os.Open(path)
	if err != nil {
		code := job.ErrUnreadable
		if errors.Is(err, fs.ErrNotExist) {
			code = job.ErrNotFound
		}
		return jobfile.File{}, job.Errorf(code, job.Args{File: path, Detail: err.Error()}, err)
	}
	defer file.Close()
	f, err := jobfile.Read(file, path)
	if err == nil {
		return f, nil
	}
	if said, ok := errors.AsType[*job.Error](err); ok {
		return f, said
	}
	return f, job.Errorf(job.ErrUnreadable, job.Args{File: path, Detail: err.Error()}, err)
}

func (e encoder) inspectLine(path string, f jobfile.File, said *job.Error) inspectLine {
	l := inspectLine{
		File: path, Outputs: []jobfile.Output{}, Inputs: []jobfile.MediaInput{}, Models: []string{}, Warnings: []string{},
	}
	if said != nil {
		l.Error, l.Format = e.errorPart(said), formatOf(said)
		return l
	}
	c := f.Facts.Cost
	l.Format, l.JobType, l.Title = textOrNull(f.Format), textOrNull(f.Type.Key), textOrNull(f.Title)
	l.JobTypeText = textOrNull(e.words.Type(f.Type))
	l.Nodes = f.Facts.Nodes
	l.Outputs = append(l.Outputs, f.Facts.Outputs...)
	l.Inputs = append(l.Inputs, f.Facts.Inputs...)
	l.Models = append(l.Models, f.Facts.Models...)
	l.Cost = costPart{
		Width: count(c.Width), Height: count(c.Height), Frames: count(c.Frames), Steps: count(c.Steps),
		Batch: count(c.Batch), FPS: figureOrNull(c.FPS),
	}
	for _, w := range f.Warnings {
		l.Warnings = append(l.Warnings, e.words.Say(w))
	}
	return l
}

// formatOf gives what a file that is no job was taken for.
func formatOf(err *job.Error) *string {
	switch err.Code {
	case job.ErrUIFormat:
		return textOrNull("ui")
	case job.ErrPicture, job.ErrA1111:
		return textOrNull(strings.ToLower(err.Args.Value))
	case job.ErrNoOutputNode, job.ErrNoClass, job.ErrCycle, job.ErrDangling:
		return textOrNull(jobfile.FormatAPI)
	}
	return nil
}

func count(n int) *float64 { return figureOrNull(float64(n)) }

func (s *shell) inspectText(l inspectLine) error {
	w := tabwriter.NewWriter(s.env.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\n", l.File)
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "  %s\t%s\n", name, value)
		}
	}
	row("format", orEmpty(l.Format))
	row("work", orEmpty(l.JobTypeText))
	row("kind", orEmpty(l.JobType))
	row("nodes", fmt.Sprint(l.Nodes))
	var outputs, inputs []string
	for _, o := range l.Outputs {
		outputs = append(outputs, o.ID+" "+o.Class)
	}
	for _, in := range l.Inputs {
		inputs = append(inputs, fmt.Sprintf("%s (node %s)", in.File, in.Node))
	}
	row("results", strings.Join(outputs, ", "))
	row("reads", strings.Join(inputs, ", "))
	row("models", strings.Join(l.Models, ", "))
	for _, text := range l.Warnings {
		row("note", text)
	}
	return w.Flush()
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

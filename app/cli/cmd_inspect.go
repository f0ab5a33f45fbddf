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

	"reckoner/assets/text"
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

// inspectOptions are what the flags of `inspect` say.
type inspectOptions struct {
	json, api bool
	classes   classOptions
}

func (s *shell) inspectCommand() *cobra.Command {
	var o inspectOptions
	cmd := &cobra.Command{
		Use:   "inspect [--json] [--api] [--object-info FILE | --server URL] FILE...",
		Short: "Say what files are, and what work they hold",
		Args:  args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, files []string) error {
			classes, err := s.classes(cmd.Context(), o.classes)
			if err != nil {
				return err
			}
			bad := false
			for _, path := range files {
				ok, err := s.inspect(path, o, classes)
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
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "one JSON object a file")
	f.BoolVar(&o.api, "api", false, "print the graph as it would be sent, in ComfyUI's API format")
	f.StringArrayVar(&o.classes.files, "object-info", nil,
		"`FILE` with a server's answer of /object_info, for workflows in the format of ComfyUI's page (repeatable, merged)")
	f.StringVar(&o.classes.server, "server", "", "ask this server, by its `URL`, for the same")
	cmd.MarkFlagsMutuallyExclusive("object-info", "server")
	return cmd
}

// inspect says what one file is, and whether it is a job. A workflow in the
// page's format is one once there are classes to convert it with.
func (s *shell) inspect(path string, o inspectOptions, classes job.Classes) (bool, error) {
	f, said := readJobFile(path)
	if said == nil && f.NeedsClasses() {
		switch {
		case classes != nil:
			f, said = convertFile(f, path, classes)
		case o.api:
			said = job.Errorf(job.ErrUIFormat, job.Args{File: path}, nil)
		default:
			f.Warnings = append(f.Warnings, job.Say{Code: job.WarnNotConverted})
		}
	}
	if o.api && said == nil && !o.json {
		_, err := fmt.Fprintf(s.env.Stdout, "%s\n", f.Graph.Raw)
		return true, err
	}
	e := s.encoder()
	line := e.inspectLine(path, f, said)
	if o.json {
		return said == nil, json.NewEncoder(s.env.Stdout).Encode(line)
	}
	if said != nil {
		_, err := fmt.Fprintln(s.env.Stderr, e.about(path, said))
		return false, err
	}
	return true, s.inspectText(line)
}

// convertFile makes a job of a workflow in the page's format. The format stays
// known when it is refused.
func convertFile(f jobfile.File, path string, classes job.Classes) (jobfile.File, *job.Error) {
	converted, err := f.Convert(classes)
	if err == nil {
		return converted, nil
	}
	said, ok := errors.AsType[*job.Error](err)
	if !ok {
		said = job.Errorf(job.ErrNotWorkflow, job.Args{Detail: err.Error()}, err)
	}
	said.Args.File = path
	return jobfile.File{Format: f.Format, Title: f.Title}, said
}

// errNotPlain is why a pipe, a device or a socket is no job file.
var errNotPlain = errors.New("it is not a plain file")

// readJobFile reads a file as the engine will. The error is never without its
// code.
func readJobFile(path string) (jobfile.File, *job.Error) {
	unreadable := func(err error) (jobfile.File, *job.Error) {
		code := job.ErrUnreadable
		if errors.Is(err, fs.ErrNotExist) {
			code = job.ErrNotFound
		}
		return jobfile.File{}, job.Errorf(code, job.Args{File: path, Detail: err.Error()}, err)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return unreadable(err)
	case info.IsDir():
		return jobfile.File{}, job.Errorf(job.ErrFolder, job.Args{File: path}, nil)
	case !info.Mode().IsRegular():
		return unreadable(errNotPlain) // opening a pipe or a device could wait for ever
	}
	file, err := os.Open(path)
	if err != nil {
		return unreadable(err)
	}
	defer file.Close()
	f, err := jobfile.ReadFrom(file, info.Size(), path)
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
		l.Error, l.Format, l.Title = e.errorPart(said), formatOf(said), textOrNull(f.Title)
		if f.Format != "" {
			l.Format = textOrNull(f.Format)
		}
		return l
	}
	c := f.Facts.Cost
	l.Format, l.JobType, l.Title = textOrNull(f.Format), textOrNull(f.Type.Key), textOrNull(f.Title)
	if f.Type.Key != "" {
		l.JobTypeText = textOrNull(e.words.Type(f.Type))
	}
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
		return textOrNull(jobfile.FormatUI)
	case job.ErrPicture, job.ErrA1111, job.ErrTruncated:
		return textOrNull(strings.ToLower(err.Args.Value))
	case job.ErrNoOutputNode, job.ErrNoClass, job.ErrCycle, job.ErrDangling:
		return textOrNull(jobfile.FormatAPI)
	}
	return nil
}

func count(n int) *float64 { return figureOrNull(float64(n)) }

func (s *shell) inspectText(l inspectLine) error {
	w := tabwriter.NewWriter(s.env.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\n", text.Plain(l.File))
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "  %s\t%s\n", name, text.Plain(value))
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
	for _, warning := range l.Warnings {
		row("note", warning)
	}
	return w.Flush()
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

package jobfile

import (
	"encoding/json"
	"errors"
	"io"
	"path"
	"strings"
	"syscall"

	"reckoner/scheduler/job"
)

// MaxBytes is the largest file that is read. Workflows are a few kilobytes;
// pictures inside them (base64) make some of them tens of megabytes.
const MaxBytes = 64 << 20

// File is a file that holds a job.
type File struct {
	// Format is what the file is: "api" for ComfyUI's API format, also inside a
	// request body, a history entry or another wrapper.
	Format string
	Graph  job.Graph
	// Workflow is the graph in the page's own format when the wrapper carried it
	// beside the job. It is never run; servers keep it in the results. nil when
	// there was none.
	Workflow json.RawMessage
	// Title is the file's name without folders and ending.
	Title string
	Facts Facts
	Type  job.Type
	// Warnings are repairs that were made and doubts that remain (job.Warn...).
	Warnings []job.Say
}

// FormatAPI is the Format of ComfyUI's API format.
const FormatAPI = "api"

// Read reads a file to its end, at most MaxBytes, and finds the job in it. The
// name serves for the title and in errors only. Every error is a *job.Error
// whose File argument is the name: job.ErrUIFormat, ErrPicture, ErrA1111,
// ErrNotJSON, ErrTruncated, ErrEmptyFile, ErrNotWorkflow, ErrNoClass, ErrCycle,
// ErrDangling, ErrNoOutputNode, ErrFileTooLarge, ErrFolder or ErrUnreadable.
func Read(r io.Reader, name string) (File, error) {
	f, err := read(r)
	if err != nil {
		err.Args.File = name
		return File{}, err
	}
	f.Title = title(name)
	return f, nil
}

func read(r io.Reader) (File, *job.Error) {
	data, err := readAll(r)
	if err != nil {
		return File{}, err
	}
	if err := notText(data); err != nil {
		return File{}, err
	}
	text, err := decodeText(data)
	if err != nil {
		return File{}, err
	}
	doc, warnings, err := parseDocument(text)
	if err != nil {
		return File{}, err
	}
	found, err := findGraph(doc)
	if err != nil {
		return File{}, err
	}
	graph, repairs, err := parseGraph(found.graph)
	if err != nil {
		return File{}, err
	}
	doubts, err := check(graph)
	if err != nil {
		return File{}, err
	}
	warnings = append(append(warnings, repairs...), doubts...)
	return File{
		Format: FormatAPI, Graph: graph, Workflow: found.workflow,
		Facts: FactsOf(graph), Type: TypeOf(graph), Warnings: warnings,
	}, nil
}

func readAll(r io.Reader) ([]byte, *job.Error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	switch {
	case errors.Is(err, syscall.EISDIR):
		return nil, job.Errorf(job.ErrFolder, job.Args{}, err)
	case err != nil:
		return nil, job.Errorf(job.ErrUnreadable, job.Args{Detail: err.Error()}, err)
	case len(data) > MaxBytes:
		return nil, job.Errorf(job.ErrFileTooLarge, job.Args{Bytes: MaxBytes}, nil)
	}
	return data, nil
}

// title gives a file's name without folders, of either kind of system, and
// without its ending.
func title(name string) string {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	if stem := strings.TrimSuffix(base, path.Ext(base)); stem != "" {
		return stem
	}
	return base
}

package jobfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"syscall"

	"reckoner/scheduler/job"
)

// MaxBytes is the largest text that is read. Workflows are a few kilobytes;
// pictures inside them (base64) make some of them tens of megabytes. Pictures,
// videos and sounds may have any size: of these only headers are read.
const MaxBytes = 64 << 20

// File is a file that holds a job.
type File struct {
	// Format is what the file is: FormatAPI, also inside a request body, a
	// history entry or another wrapper; FormatUI; or the format of the picture,
	// video or sound that carries the workflow, such as "png".
	Format string
	// Graph is what is sent. It is empty while NeedsClasses.
	Graph job.Graph
	// Workflow is the graph in the page's own format, where the file has one.
	// Beside a Graph it is not run; servers keep it in the results. It may be
	// another job than the Graph: then a warning says so.
	Workflow Workflow
	// PageTexts are texts of a Graph that was made of the Workflow, which the page
	// completes anew for each job: see FillTexts.
	PageTexts []PageText
	// Title is the file's name without folders and ending.
	Title string
	Facts Facts
	Type  job.Type
	// Warnings are repairs that were made and doubts that remain (job.Warn...).
	Warnings []job.Say
	// Source is what of the file is worth keeping: a text as it is, and of
	// anything else its workflow in a wrapper that Read takes as well, with what
	// tells the file from others (see keptSource). Equal sources are the
	// same job from the same file.
	Source []byte
}

// Formats of files that hold nothing but a workflow.
const (
	FormatAPI = "api"
	FormatUI  = "ui"
)

// Workflow is a graph in the format of ComfyUI's page, as JSON without white
// space.
type Workflow json.RawMessage

// NeedsClasses says that the file holds the page's format only: Convert makes a
// job of it once a server's node classes are known.
func (f File) NeedsClasses() bool { return len(f.Graph.Nodes) == 0 && f.Workflow != nil }

// TwoJobs says that the file's workflow in the page's format is another job than
// its graph.
func (f File) TwoJobs() bool {
	return slices.ContainsFunc(f.Warnings, func(s job.Say) bool { return s.Code == job.WarnOtherJob })
}

// SameWorkflow says that the page's format of the Graph is at hand.
func (f File) SameWorkflow() bool {
	return !f.NeedsClasses() && f.Workflow != nil && !f.TwoJobs()
}

// PreferWorkflow gives the file as the page would open it: without the graph
// that really ran. It needs classes then.
func (f File) PreferWorkflow() File {
	if f.Workflow == nil {
		return f
	}
	f.Graph, f.Facts, f.Type = job.Graph{}, Facts{}, job.Type{}
	f.Warnings = slices.DeleteFunc(slices.Clone(f.Warnings), func(s job.Say) bool { return s.Code == job.WarnOtherJob })
	return f
}

// Classes gives the node classes that the page's graph is made of, subgraphs and
// groups included, each once: what Convert needs to know.
func (f File) Classes() []string {
	file, err := parseUI(json.RawMessage(f.Workflow))
	if err != nil {
		return nil
	}
	return file.classes()
}

// Convert makes a job of the page's graph, for a server with these classes. A
// graph that the file also had is replaced. The errors are those of the function
// Convert and of Read, with the file's title in the argument File.
func (f File) Convert(classes job.Classes) (File, error) {
	graph, texts, said, err := convert(f.Workflow, classes)
	if err == nil {
		var doubts []job.Say
		if doubts, err = check(graph); err == nil {
			f.Graph, f.Facts, f.Type, f.PageTexts = graph, FactsOf(graph), TypeOf(graph), texts
			addUploads(graph, classes, &f.Facts)
			f.Warnings = append(append(append([]job.Say(nil), f.Warnings...), said...), doubts...)
			return f, nil
		}
	}
	err.Args.File = f.Title
	return File{}, err
}

// Read reads a file to its end, at most MaxBytes, and finds the job in it. It is
// for texts; see ReadFrom.
func Read(r io.Reader, name string) (File, error) {
	data, err := readAll(r)
	if err != nil {
		err.Args.File = name
		return File{}, err
	}
	return ReadFrom(bytes.NewReader(data), int64(len(data)), name)
}

// ReadFrom finds the job in a file of a size. Of pictures, videos and sounds it
// reads the headers only. The name serves for the title and in errors only.
//
// A file in the page's own format is not a job yet: NeedsClasses. Every error is
// a *job.Error whose File argument is the name: job.ErrPicture, ErrA1111,
// ErrNotJSON, ErrTruncated, ErrEmptyFile, ErrNotWorkflow, ErrNoClass, ErrCycle,
// ErrDangling, ErrNoOutputNode, ErrFileTooLarge, ErrFolder or ErrUnreadable.
func ReadFrom(r io.ReaderAt, size int64, name string) (File, error) {
	f, err := read(newSection(r, size))
	if err != nil {
		err.Args.File = name
		return File{}, err
	}
	f.Title = title(name)
	return f, nil
}

func read(s *section) (File, *job.Error) {
	head := s.upTo(0, 64)
	if s.err != nil {
		return File{}, unreadable(s.err)
	}
	if err := notText(head); err != nil {
		return File{}, err
	}
	if format := formatOf(head, signatures[:]); format != "" {
		return readMedia(format, s)
	}
	if s.size > MaxBytes {
		return File{}, job.Errorf(job.ErrFileTooLarge, job.Args{Bytes: MaxBytes}, nil)
	}
	data := s.upTo(0, s.size)
	if s.err != nil {
		return File{}, unreadable(s.err)
	}
	return readText(data)
}

// readText reads a file that is nothing but text.
func readText(data []byte) (File, *job.Error) {
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
	f, err := found.file(FormatAPI, warnings)
	if err != nil {
		return File{}, err
	}
	if f.NeedsClasses() {
		f.Format = FormatUI
	}
	f.Source = data
	return f, nil
}

// readMedia reads what a picture, a video or a sound carries.
func readMedia(format string, s *section) (File, *job.Error) {
	c, readable := readCarried(format, s)
	if !readable {
		c.begun = mentionsGraph(s)
	}
	if s.err != nil {
		return File{}, unreadable(s.err)
	}
	if c.prompt == nil && c.workflow == nil {
		return File{}, refuseMedia(format, c)
	}
	found, warnings, err := c.found()
	if err != nil {
		if c.cut && err.Code == job.ErrTruncated {
			err = refuseMedia(format, c)
		}
		return File{}, err
	}
	if c.torn || c.cut {
		warnings = append(warnings, job.Say{Code: job.WarnDamaged, Args: job.Args{Value: format}})
	}
	f, err := found.file(format, warnings)
	if err != nil {
		return File{}, err
	}
	f.Source = sourceOf(format, s, c)
	return f, nil
}

// found gives what the carried texts hold. The prompt is what really ran, so it
// counts; the page's graph only serves where there is none that can be read.
func (c *carried) found() (found, []job.Say, *job.Error) {
	var all found
	var warnings []job.Say
	var promptErr *job.Error
	if c.prompt != nil {
		f, said, err := findInText(c.prompt)
		if err == nil && f.graph != nil {
			all, warnings = f, said
		} else if promptErr = err; err == nil {
			all.workflow = f.workflow
		}
	}
	if c.workflow != nil && all.workflow == nil {
		f, _, err := findInText(c.workflow)
		switch {
		case err == nil && f.workflow != nil:
			all.workflow = f.workflow
		case err == nil && all.graph == nil:
			all.graph = f.graph
		case err != nil && all.graph == nil && promptErr == nil:
			return found{}, nil, err
		}
	}
	if all.graph == nil && all.workflow == nil {
		return found{}, nil, promptErr
	}
	if promptErr != nil {
		warnings = append(warnings, job.Say{Code: job.WarnPromptLost, Args: job.Args{Detail: promptErr.Error()}})
	}
	return all, warnings, nil
}

func findInText(data []byte) (found, []job.Say, *job.Error) {
	text, err := decodeText(data)
	if err != nil {
		return found{}, nil, err
	}
	doc, warnings, err := parseDocument(text)
	if err != nil {
		return found{}, nil, err
	}
	f, err := findGraph(doc)
	return f, warnings, err
}

// file makes a File of what was found, with the warnings so far.
func (f found) file(format string, warnings []job.Say) (File, *job.Error) {
	if f.nans > 0 {
		warnings = append(warnings, job.Say{Code: job.WarnNaN, Args: job.Args{Count: f.nans}})
	}
	if f.graph == nil {
		if _, err := parseUI(f.workflow); err != nil {
			return File{}, err
		}
		return File{Format: format, Workflow: Workflow(compact(f.workflow)), Warnings: warnings}, nil
	}
	graph, repairs, err := parseGraph(f.graph)
	if err != nil {
		return File{}, err
	}
	doubts, err := check(graph)
	if err != nil {
		return File{}, err
	}
	warnings = append(append(warnings, repairs...), doubts...)
	var workflow Workflow
	if f.workflow != nil {
		warnings = append(warnings, compare(graph, f.workflow)...)
		workflow = Workflow(compact(f.workflow))
	}
	return File{
		Format: format, Graph: graph, Workflow: workflow,
		Facts: FactsOf(graph), Type: TypeOf(graph), Warnings: warnings,
	}, nil
}

func unreadable(err error) *job.Error {
	if errors.Is(err, syscall.EISDIR) {
		return job.Errorf(job.ErrFolder, job.Args{}, err)
	}
	return job.Errorf(job.ErrUnreadable, job.Args{Detail: err.Error()}, err)
}

func readAll(r io.Reader) ([]byte, *job.Error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	switch {
	case err != nil:
		return nil, unreadable(err)
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

package scheduler

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
	"reckoner/scheduler/jobfile"
)

// classSource is a RenderServer that tells which node classes it has. Workflows
// in the page's own format need them to become jobs.
type classSource interface {
	// Classes reads the server's node classes; when they cannot be read at once,
	// at least those in need that the server has. It may take long: servers look
	// through their folders of models for it.
	Classes(ctx context.Context, need []string) (job.Classes, error)
	// ClassesNamed reads a few of the server's node classes by their names. Those
	// that it says it does not have are absent; of one that it cannot describe
	// nothing is known. It is much less work for a server than Classes.
	ClassesNamed(ctx context.Context, names []string) (found job.Classes, absent []string, err error)
}

const (
	// classesFor is how long a server's classes are taken to be the same, in real
	// time: they change with its restart, its choices with its files.
	classesFor = 5 * time.Minute
	// classesAgain is the least time between two questions.
	classesAgain = 15 * time.Second
	// classesWithin bounds how long files that are being added wait for classes.
	// Those that got none are converted later.
	classesWithin = 20 * time.Second
)

// knownClasses keeps the classes of each server.
type knownClasses struct {
	mu sync.Mutex
	of map[job.ID]*serverClasses
}

// serverClasses are the classes of one server. Its lock is held while they are
// read, so that a folder of files asks once.
type serverClasses struct {
	mu      sync.Mutex
	classes job.Classes
	err     *job.Error // why they could not be read the last time
	at      time.Time  // of the last question
}

func (k *knownClasses) server(id job.ID) *serverClasses {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of == nil {
		k.of = map[job.ID]*serverClasses{}
	}
	if k.of[id] == nil {
		k.of[id] = &serverClasses{}
	}
	return k.of[id]
}

// classes gives a server's node classes, read anew when they are old or when one
// in need is not among them: it may have been installed meanwhile.
func (h *hosts) classes(ctx context.Context, id job.ID, need []string) (job.Classes, *job.Error) {
	srv, jerr := h.server(id)
	if jerr != nil {
		return nil, jerr
	}
	source, ok := srv.(classSource)
	if !ok {
		return nil, job.Errorf(job.ErrUnsupported, job.Args{Server: string(id)}, nil)
	}
	known := h.known.server(id)
	known.mu.Lock()
	defer known.mu.Unlock()
	switch age := time.Since(known.at); {
	case known.err != nil && age < classesAgain:
		return nil, known.err
	case known.classes != nil && age < classesFor && (age < classesAgain || hasAll(known.classes, need)):
		return known.classes, nil
	}
	classes, err := source.Classes(ctx, need)
	known.classes, known.err, known.at = classes, asError(err, job.ErrUnreachable), time.Now()
	return classes, known.err
}

// atHand gives the classes of one server that were read, or nil: nobody is asked.
func (h *hosts) atHand() job.Classes {
	h.known.mu.Lock()
	servers := slices.Collect(maps.Values(h.known.of))
	h.known.mu.Unlock()
	var most job.Classes
	for _, known := range servers {
		if !known.mu.TryLock() {
			continue // it is being read
		}
		if len(known.classes) > len(most) {
			most = known.classes
		}
		known.mu.Unlock()
	}
	return most
}

func hasAll(classes job.Classes, need []string) bool {
	for _, name := range need {
		if _, ok := classes[name]; !ok {
			return false
		}
	}
	return true
}

// convert makes a job of a workflow in the page's own format, with the classes
// of the first server that has all that it needs. While a server may yet have
// them the file stays as it is: it waits.
func (e *Engine) convert(ctx context.Context, f jobfile.File, servers []job.ID) (jobfile.File, *job.Error) {
	if len(servers) == 0 {
		servers = e.usable()
	}
	ctx, cancel := context.WithTimeout(ctx, classesWithin)
	defer cancel()
	var refused *job.Error
	silent := len(servers) == 0
	for _, id := range servers {
		classes, err := e.hosts.classes(ctx, id, f.Classes())
		if err != nil {
			silent = silent || err.Code != job.ErrUnsupported
			continue
		}
		converted, cerr := f.Convert(classes)
		if cerr == nil {
			return converted, nil
		}
		if refused == nil {
			refused = asError(cerr, job.ErrNotWorkflow)
		}
	}
	switch {
	case silent:
		return f, nil
	case refused == nil:
		refused = job.Errorf(job.ErrUIFormat, job.Args{}, nil)
	}
	return jobfile.File{}, refused
}

// convertWaiting makes a job of a waiting one's file, for one server.
func (e *Engine) convertWaiting(ctx context.Context, a core.Convert) core.Event {
	done := core.Converted{Job: a.Job, Server: a.Server}
	fail := func(err error, otherwise string, refused bool) core.Event {
		done.Err, done.Refused = asError(err, otherwise), refused
		return done
	}
	source, err := e.cfg.Store.Blob(ctx, a.Source)
	if err != nil {
		return fail(err, job.ErrNotFound, false)
	}
	file, err := jobfile.Read(bytes.NewReader(source), a.Name)
	if err != nil {
		return fail(err, job.ErrNotWorkflow, true)
	}
	classes, jerr := e.hosts.classes(ctx, a.Server, file.Classes())
	if jerr != nil {
		return fail(jerr, job.ErrUnreachable, jerr.Code == job.ErrUnsupported)
	}
	if file, err = file.Convert(classes); err != nil {
		return fail(err, job.ErrNotWorkflow, true)
	}
	sent, page := e.filled(file)
	if done.Graph, err = e.cfg.Store.PutBlob(ctx, sent); err != nil {
		return fail(err, job.ErrDisk, false)
	}
	// Converted from it, the graph is the workflow's own.
	if done.Workflow, err = e.cfg.Store.PutBlob(ctx, page); err != nil {
		return fail(err, job.ErrDisk, false)
	}
	given := inputSet{}
	for _, in := range a.Inputs {
		if in.Path != "" && in.Blob != "" {
			given.files = append(given.files, givenFile{node: in.Node, path: in.Path})
		}
	}
	if done.Inputs, err = e.keepInputs(ctx, &intake{path: a.File, file: file}, given); err != nil {
		return fail(err, job.ErrDisk, false)
	}
	runs, err := e.cfg.Store.PastRuns(ctx, file.Type.Key, pastRuns)
	if err != nil {
		return fail(err, job.ErrDisk, false)
	}
	done.Type, done.Nodes, done.Loaders = file.Type, len(file.Graph.Nodes), loaders(file.Graph)
	done.Needs, done.Samplers = jobfile.NeedsOf(file.Graph), jobfile.SamplersOf(file.Graph)
	done.Past = map[string][]estimate.Run{file.Type.Key: runs}
	return done
}

package scheduler

import (
	"context"
	"sync"
	"time"

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
}

const (
	// classesFor is how long a server's classes are taken to be the same, in real
	// time: they change with its restart, its choices with its files.
	classesFor = 5 * time.Minute
	// classesAgain is the least time between two questions.
	classesAgain = 15 * time.Second
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
	at      time.Time
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
	if age := time.Since(known.at); known.classes != nil && age < classesFor &&
		(age < classesAgain || hasAll(known.classes, need)) {
		return known.classes, nil
	}
	classes, err := source.Classes(ctx, need)
	if err != nil {
		return nil, asError(err, job.ErrUnreachable)
	}
	known.classes, known.at = classes, time.Now()
	return classes, nil
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
// of the first server that has all that it needs. With none that answers the
// file is not refused for what it is: job.ErrUIFormat.
func (e *Engine) convert(ctx context.Context, f jobfile.File, servers []job.ID) (jobfile.File, *job.Error) {
	if len(servers) == 0 {
		for _, m := range e.Snapshot().Machines {
			for _, srv := range m.Servers {
				if !srv.Server.WatchOnly {
					servers = append(servers, srv.Server.ID)
				}
			}
		}
	}
	var refused *job.Error
	var silent error
	for _, id := range servers {
		classes, err := e.hosts.classes(ctx, id, f.Classes())
		if err != nil {
			silent = err
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
	if refused != nil {
		return jobfile.File{}, refused
	}
	return jobfile.File{}, job.Errorf(job.ErrUIFormat, job.Args{}, silent)
}

package scheduler

import (
	"context"
	"image"
	"time"

	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
)

// RenderServer is one ComfyUI process as the engine uses it. Every method but
// Listen makes bounded requests and returns within a deadline of its own, even
// when ctx has none. Errors are *job.Error with the codes of job.
type RenderServer interface {
	// Probe asks what the server is and what it can do.
	Probe(ctx context.Context) (job.ServerInfo, error)
	// Submit sends a prompt once; it never tries again by itself. An error with
	// job.ErrOutcomeUnknown means that the server may have taken it.
	Submit(ctx context.Context, s job.Submission) (job.Receipt, error)
	// Queue reads what runs and waits on the server, ours and others'.
	Queue(ctx context.Context) (job.Queue, error)
	// Record reads a prompt's entry in the server's history. Not finished and
	// never heard of are both false.
	Record(ctx context.Context, promptID string) (job.Record, bool, error)
	// FindRecord looks for the tag of a run in the newest entries of the
	// history, for servers that chose the id themselves.
	FindRecord(ctx context.Context, run job.ID) (job.Record, bool, error)
	// Remove takes a pending prompt off the server's queue. A running one is
	// not touched.
	Remove(ctx context.Context, promptID string) error
	// Interrupt asks the server to stop a running prompt, naming it. On servers
	// that ignore the name it first makes sure that this prompt is the running
	// one, and otherwise sends nothing and returns job.ErrUnsupported.
	Interrupt(ctx context.Context, promptID string) error
	// Free asks the server to unload its models and forget its results once it
	// is idle. It touches no prompt.
	Free(ctx context.Context) error
	// Listen keeps a websocket open under clientID until ctx ends, opening it
	// again with growing pauses, and hands over what it says. It calls news from
	// one goroutine, and never waits for the socket's sender.
	Listen(ctx context.Context, clientID string, news func(job.News))
}

// Meter is a source of GPU readings.
type Meter interface {
	// Stream hands over readings, all GPUs of a tick together, about once every
	// period of real time until ctx ends or the source fails. It returns why it
	// ended: nil when ctx did. The engine starts it again after a pause.
	Stream(ctx context.Context, period time.Duration, readings func([]job.Reading)) error
}

// ProgramMeter is a Meter that also knows which programs hold its GPUs.
type ProgramMeter interface {
	// Programs hands over which programs hold the GPUs, about once every period of
	// real time, until ctx ends or it cannot tell any more. It returns why it ended:
	// nil when ctx did. The engine starts it again after a pause.
	Programs(ctx context.Context, period time.Duration, programs func(job.Programs)) error
}

// HostMeter samples this computer.
type HostMeter interface {
	Sample(ctx context.Context, outDir string) job.HostReading
	// Listener tells which process of this computer listens on a TCP port, when
	// one does. Its name is empty where this user may not see whose it is.
	Listener(ctx context.Context, port int) (job.LocalProcess, bool, error)
}

// Fetcher brings results from a render server to this computer.
type Fetcher interface {
	// Fetch fetches the files of refs into to.Dir, which it creates, or below it.
	// Each file is complete or absent under its final name; names from the server,
	// and templates, never lead outside. A preview that is gone is left out without
	// an error. What was fetched is returned also when there is an error.
	Fetch(ctx context.Context, server job.ID, refs []job.OutputRef, to job.Destination) ([]job.Output, error)
}

// Pictures makes small pictures of results and inputs.
type Pictures interface {
	// Small makes a picture of so many pixels of a picture or of a video's first
	// frame, whose middle fills it: of content when that is not nil, else of a
	// file. The error is job.ErrNoPicture with the reason, or that of ctx.
	Small(ctx context.Context, file string, content []byte, width, height int) (image.Image, error)
}

// Store is what survives. Its methods may be called from any goroutine; they
// wait for the disk.
type Store interface {
	// Load reads what the engine needs at its start.
	Load(ctx context.Context) (job.Kept, error)
	// Save writes all of the changes or none, and returns once they are synced,
	// unless all of them are lazy.
	Save(ctx context.Context, changes job.Changes) error
	// PastRuns reads the finished runs of a job type on all GPUs, oldest first,
	// at most the newest limit for each GPU.
	PastRuns(ctx context.Context, typeKey string, limit int) ([]estimate.Run, error)
	// History reads a page of ended runs, newest first. A zero before means from
	// the newest.
	History(ctx context.Context, q job.HistoryQuery) ([]job.HistoryRow, error)
	// RunOf reads the record of a job's run by its attempt. Not there is false
	// without an error.
	RunOf(ctx context.Context, of job.ID, attempt int) (job.Run, bool, error)
	// PutBlob keeps content under its SHA-256 and returns that in hexadecimal.
	// It is synced when PutBlob returns.
	PutBlob(ctx context.Context, content []byte) (string, error)
	// Blob reads what PutBlob kept.
	Blob(ctx context.Context, sha256 string) ([]byte, error)
}

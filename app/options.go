package app

import (
	"context"
	"crypto/rand"
	"image"
	"log/slog"

	"reckoner/app/notify"
	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// ID names the application to the desktop: its preferences, its desktop entry.
const ID = "org.reckoner.Reckoner"

// Farm is the engine as the window uses it. Snapshot and Do never wait; the
// others are called from goroutines of their own. *scheduler.Engine is one.
type Farm interface {
	Snapshot() *scheduler.Snapshot
	Changed() (changes <-chan struct{}, cancel func())
	Do(c scheduler.Command)
	// Repeat queues a job again with other seeds, Values gives what may be changed
	// of a waiting one, and Revise changes it.
	Repeat(ctx context.Context, id job.ID, times int) ([]*job.Job, error)
	Values(ctx context.Context, id job.ID) ([]scheduler.NodeValue, error)
	Revise(ctx context.Context, id job.ID, values []scheduler.NodeValue) error
	// Preview says what a request would queue.
	Preview(ctx context.Context, r scheduler.AddRequest) (scheduler.Preview, error)
	// HandOver sends waiting jobs to their servers' own queues, and says how many
	// then wait there.
	HandOver(ctx context.Context, count int) (int, error)
	Add(ctx context.Context, r scheduler.AddRequest) (scheduler.Added, error)
	AddMachine(ctx context.Context, m job.Machine, servers []job.Server) error
	// RemoveMachine fails with scheduler.ErrInUse while a job of ours is there.
	RemoveMachine(ctx context.Context, id job.ID) error
	// Probe and TestSource ask what is not among the machines yet.
	Probe(ctx context.Context, url string, pins ...string) (job.ServerInfo, error)
	TestSource(ctx context.Context, source string) ([]job.Reading, error)
	// Check has a render server that is among the machines run a tiny job.
	Check(ctx context.Context, server job.ID) (job.Checkup, error)
	// LookForLocal gives the URLs of render servers on this computer.
	LookForLocal(ctx context.Context) []string
	// LookForOthers gives the URLs of further render servers of a machine's hosts.
	LookForOthers(ctx context.Context, machine job.ID) ([]string, error)
	// UsualTimes gives what is known of a job type on each GPU.
	UsualTimes(ctx context.Context, typeKey string) ([]scheduler.UsualTime, error)
	// CorrectRun takes the user's word about a past run and gives its record since
	// then.
	CorrectRun(ctx context.Context, c scheduler.Correction) (job.Run, error)
	History(ctx context.Context, q job.HistoryQuery) ([]job.HistoryRow, error)
	// Picture makes a small picture of a result or an input.
	Picture(ctx context.Context, of job.Picture, width, height int) (image.Image, error)
}

// Follower tells what happens, for notifications. *scheduler.Follower is one.
type Follower interface {
	notify.Events
	Close()
}

// Options are what a window needs.
type Options struct {
	Farm Farm
	// Follow makes a follower of the farm; nil means no notifications.
	Follow func() Follower
	// Title stands on the window; "" means Reckoner.
	Title   string
	Version string
	Words   text.Language
	// Demo says that everything shown is simulated: the window then closes
	// unasked.
	Demo bool
	// SetAside is where a damaged database was moved to at this start, which then
	// began with an empty queue and history; "" when nothing was damaged.
	SetAside string
	// Asked is what the command line asked to add, and Added what became of it.
	Asked scheduler.AddRequest
	Added scheduler.Added
	// OutDir is where results go when no job says otherwise; "" when not known.
	OutDir string
	// NewID makes an id for a machine or a server that the user adds; nil means
	// random ones.
	NewID func() job.ID
	// Enter keeps what opens a server that the user typed: what is written into the
	// address, and key where it is not empty, a token or user:password. It gives
	// the bare URL and where the rest is kept, "keyring" or "file". Forget removes
	// that again. Nil means that nothing can be kept.
	Enter  func(ctx context.Context, server job.ID, address, key string) (url, place string, err error)
	Forget func(ctx context.Context, server job.ID) error
	// AcceptHostKey makes a computer behind ssh known by the key that the user was
	// shown; nil where that is not possible.
	AcceptHostKey func(ctx context.Context, address, fingerprint string) error
	// OnReady is called on the goroutine of the user interface once the window
	// has been drawn. Show, when not nil, brings the window to the front each
	// time it is sent to: a second start of the program does.
	OnReady func()
	Show    <-chan struct{}
	Log     *slog.Logger
}

func (o *Options) fill() {
	if o.Title == "" {
		o.Title = "Reckoner"
	}
	if o.NewID == nil {
		o.NewID = randomID
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Log = o.Log.With("part", "window")
}

func randomID() job.ID {
	var b [16]byte
	// It never fails: the program would crash first (crypto/rand.Read).
	_, _ = rand.Read(b[:])
	return job.UUIDFrom(b)
}

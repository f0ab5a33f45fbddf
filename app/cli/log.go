package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
)

const (
	logFile = "reckoner.log"
	// maxLog is the size at which the log starts anew; the one before it is kept.
	maxLog = 8 << 20
)

// openLog gives the log of an engine: everything from info on in the data
// folder, and for people what they should see. The second value closes it.
func openLog(data string, people io.Writer, verbose bool) (*slog.Logger, func() error, error) {
	dir := filepath.Join(data, "log")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, fmt.Errorf("make the log folder: %w", err)
	}
	file := &rotated{path: filepath.Join(dir, logFile)}
	if err := file.open(); err != nil {
		return nil, nil, fmt.Errorf("open the log: %w", err)
	}
	level := slog.LevelInfo
	if verbose {
		level = slog.LevelDebug
	}
	both := fanout{
		slog.NewTextHandler(file, &slog.HandlerOptions{Level: level}),
		peopleHandler(people, verbose),
	}
	return slog.New(both), file.Close, nil
}

// peopleHandler is what a person reads on standard error: warnings, unless they
// asked for more.
func peopleHandler(w io.Writer, verbose bool) slog.Handler {
	level := slog.LevelWarn
	if verbose {
		level = slog.LevelDebug
	}
	return slog.NewTextHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: forPeople})
}

// forPeople leaves out what only the log file is for.
func forPeople(_ []string, a slog.Attr) slog.Attr {
	if a.Key == "stack" {
		return slog.Attr{}
	}
	return a
}

// fanout hands every record to several handlers.
type fanout []slog.Handler

func (f fanout) Enabled(ctx context.Context, l slog.Level) bool {
	for _, h := range f {
		if h.Enabled(ctx, l) {
			return true
		}
	}
	return false
}

func (f fanout) Handle(ctx context.Context, r slog.Record) error {
	var errs []error
	for _, h := range f {
		if h.Enabled(ctx, r.Level) {
			errs = append(errs, h.Handle(ctx, r.Clone()))
		}
	}
	return errors.Join(errs...)
}

func (f fanout) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := make(fanout, len(f))
	for i, h := range f {
		out[i] = h.WithAttrs(attrs)
	}
	return out
}

func (f fanout) WithGroup(name string) slog.Handler {
	out := make(fanout, len(f))
	for i, h := range f {
		out[i] = h.WithGroup(name)
	}
	return out
}

// rotated is a log file that starts anew when it has grown, and keeps the one
// before.
type rotated struct {
	path string

	mu   sync.Mutex
	file *os.File
	size int64
}

func (r *rotated) open() error {
	f, err := os.OpenFile(r.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	r.file, r.size = f, info.Size()
	return nil
}

// Write appends a record. A log that cannot be written must not stop the work,
// so a full disk is the handler's problem only.
func (r *rotated) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return 0, fs.ErrClosed
	}
	if r.size > 0 && r.size+int64(len(b)) > maxLog {
		err := errors.Join(r.file.Close(), os.Rename(r.path, r.path+".1"))
		r.file = nil
		if err := errors.Join(err, r.open()); err != nil {
			return 0, err
		}
	}
	n, err := r.file.Write(b)
	r.size += int64(n)
	return n, err
}

// Close closes the file.
func (r *rotated) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	return err
}

// heldRecords keeps records until there is a log to pass them to.
type heldRecords struct {
	mu   sync.Mutex
	held []slog.Record
}

// maxHeld bounds what is kept.
const maxHeld = 1000

// Enabled keeps what a log keeps.
func (h *heldRecords) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelInfo }

// Handle keeps a record.
func (h *heldRecords) Handle(_ context.Context, r slog.Record) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.held) < maxHeld {
		h.held = append(h.held, r.Clone())
	}
	return nil
}

// WithAttrs keeps the records; a store that opens has no attributes of its own.
func (h *heldRecords) WithAttrs([]slog.Attr) slog.Handler { return h }

// WithGroup keeps the records.
func (h *heldRecords) WithGroup(string) slog.Handler { return h }

// pass hands what was kept to a log's file. People are told in a sentence.
func (h *heldRecords) pass(log *slog.Logger) {
	h.mu.Lock()
	defer h.mu.Unlock()
	to := log.Handler()
	if both, ok := to.(fanout); ok {
		to = both[0]
	}
	for _, r := range h.held {
		_ = to.Handle(context.Background(), r) // a log that cannot be written must not stop the work
	}
	h.held = nil
}

package secret

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"reckoner/scheduler/job"
)

// Place is where a secret lies.
type Place string

// The places.
const (
	Nowhere   Place = ""
	InKeyring Place = "keyring" // the system's
	InFile    Place = "file"    // readable by the user alone, and by whoever becomes the user
)

// Keyring is a system's keyring. Its methods may wait for a person who is asked
// to unlock it.
type Keyring interface {
	// Available tells, without asking anybody, whether there is a keyring.
	Available() bool
	Set(server, secret string) error
	// Get gives ErrNotFound when there is none.
	Get(server string) (string, error)
	Delete(server string) error
}

// Errors of a Store. None of them holds a secret.
var (
	// ErrNotFound says that the keyring has no such entry.
	ErrNotFound = errors.New("not in the keyring")
	// ErrLocked says that the keyring did not answer: it waits for a person, or
	// for another question of ours.
	ErrLocked = errors.New("the system's keyring does not answer; it may be locked")
	// ErrGone says that a secret was put into the keyring, which does not have it.
	ErrGone = errors.New("the system's keyring no longer has what opens this server; enter it again")
)

// keyringWait is how long the keyring may take: a person may be asked for its
// password.
const keyringWait = 2 * time.Minute

// Options are what a Store needs from outside. The zero Options are usable.
type Options struct {
	Log     *slog.Logger // nil means nowhere
	Keyring Keyring      // nil means the system's
}

// Store keeps secrets. Its methods may be called from any goroutine.
type Store struct {
	file file
	ring Keyring
	log  *slog.Logger

	asking chan struct{} // capacity 1: the keyring is asked one thing at a time
	mu     sync.Mutex    // of the file
}

// Open gives the secrets of a data folder. It reads nothing yet.
func Open(dir string, o Options) *Store {
	s := &Store{file: inFolder(dir), ring: o.Keyring, log: o.Log, asking: make(chan struct{}, 1)}
	if s.ring == nil {
		s.ring = system{}
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s
}

// Put keeps a server's secret in the keyring, or where there is none in the
// file, and tells which, so that it can be said. An empty secret is a Delete.
// A keyring that is there and refuses is an error, and nothing is put into the
// file behind the user's back.
func (s *Store) Put(ctx context.Context, server job.ID, secret Secret) (Place, error) {
	if secret.Empty() {
		return Nowhere, s.Delete(ctx, server)
	}
	raw, err := encode(secret)
	if err != nil {
		return Nowhere, fmt.Errorf("keep what opens server %s: %w", server, err)
	}
	e := entry{Place: InFile, Secret: raw}
	if s.ring.Available() {
		e = entry{Place: InKeyring}
		if err := s.ask(ctx, func() error { return s.ring.Set(string(server), string(raw)) }); err != nil {
			return Nowhere, fmt.Errorf("put what opens server %s into the keyring: %w", server, err)
		}
	}
	if err := s.change(func(all entries) { all[server] = e }); err != nil {
		return Nowhere, fmt.Errorf("keep what opens server %s: %w", server, err)
	}
	s.log.InfoContext(ctx, "secret kept", "server", server, "place", e.Place)
	return e.Place, nil
}

// Get gives a server's secret; an empty one when it has none. The keyring is
// asked only about servers that have something in it.
func (s *Store) Get(ctx context.Context, server job.ID) (Secret, error) {
	s.mu.Lock()
	all, err := s.file.read()
	s.mu.Unlock()
	if err != nil {
		return Secret{}, fmt.Errorf("read what opens server %s: %w", server, err)
	}
	e := all[server]
	if e.Place == Nowhere {
		return Secret{}, nil
	}
	raw := []byte(e.Secret)
	if e.Place == InKeyring {
		if raw, err = s.fromKeyring(ctx, server); err != nil {
			return Secret{}, fmt.Errorf("read what opens server %s: %w", server, err)
		}
	}
	secret, err := decode(raw)
	if err != nil {
		return Secret{}, fmt.Errorf("read what opens server %s: %w", server, err)
	}
	return secret, nil
}

func (s *Store) fromKeyring(ctx context.Context, server job.ID) ([]byte, error) {
	if !s.ring.Available() {
		return nil, ErrLocked
	}
	var text string
	err := s.ask(ctx, func() (err error) {
		text, err = s.ring.Get(string(server))
		return err
	})
	if errors.Is(err, ErrNotFound) {
		return nil, ErrGone
	}
	if err != nil {
		return nil, err
	}
	return []byte(text), nil
}

// Place tells where a server's secret lies, without asking the keyring.
func (s *Store) Place(server job.ID) (Place, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.file.read()
	return all[server].Place, err
}

// Delete removes a server's secret from wherever it lies.
func (s *Store) Delete(ctx context.Context, server job.ID) error {
	place, err := s.Place(server)
	if err != nil {
		return fmt.Errorf("remove what opens server %s: %w", server, err)
	}
	if place == Nowhere {
		return nil
	}
	if place == InKeyring {
		if !s.ring.Available() {
			return fmt.Errorf("remove what opens server %s: %w", server, ErrLocked)
		}
		err := s.ask(ctx, func() error { return s.ring.Delete(string(server)) })
		if err != nil && !errors.Is(err, ErrNotFound) {
			return fmt.Errorf("remove what opens server %s: %w", server, err)
		}
	}
	if err := s.change(func(all entries) { delete(all, server) }); err != nil {
		return fmt.Errorf("remove what opens server %s: %w", server, err)
	}
	return nil
}

func (s *Store) change(edit func(entries)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.file.read()
	if err != nil {
		return err
	}
	edit(all)
	return s.file.write(all)
}

// ask asks the keyring, which cannot be told to stop: a question that is still
// open when its time is up goes on alone, and until it ends no other one is
// asked.
func (s *Store) ask(ctx context.Context, question func() error) error {
	ctx, cancel := context.WithTimeout(ctx, keyringWait)
	defer cancel()
	select {
	case s.asking <- struct{}{}:
	case <-ctx.Done():
		return ErrLocked
	}
	answer := make(chan error, 1)
	go func() {
		defer func() { <-s.asking }()
		answer <- question()
	}()
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return ErrLocked
	}
}

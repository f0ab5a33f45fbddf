package awake

import (
	"context"
	"errors"
	"fmt"
)

// ErrUnsupported says that nothing on this system can be asked to stay awake.
var ErrUnsupported = errors.New("this desktop has no way to be kept awake")

// System is the computer as a keeper needs it.
type System interface {
	// OnBattery tells whether the computer runs on battery. A computer that does
	// not say so is on mains.
	OnBattery(ctx context.Context) bool
	// Hold asks for the computer to stay awake until release is called.
	Hold(ctx context.Context, why string) (release func() error, err error)
}

// Keeper keeps a computer awake while that is wanted. Its methods belong to one
// goroutine, which may wait for the desktop a few seconds.
type Keeper struct {
	system  System
	release func() error // nil while nothing is held
	failed  bool         // the last try: it is not tried at every look
}

// New makes a keeper. It holds nothing yet.
func New(system System) *Keeper { return &Keeper{system: system} }

// State is what became of the wish.
type State string

// The states.
const (
	Free    State = ""        // not wanted: the computer may sleep
	Held    State = "held"    // it stays awake
	Battery State = "battery" // wanted, but it is on battery and may sleep
	Unable  State = "unable"  // wanted, but the desktop could not be asked
)

// Set says whether the computer shall stay awake now, and gives what holds. The
// error is that of the first try that failed; the same wish is not tried again
// until it was taken back.
func (k *Keeper) Set(ctx context.Context, wanted bool, why string) (State, error) {
	if !wanted {
		k.failed = false
		return Free, k.Close()
	}
	if k.system.OnBattery(ctx) {
		return Battery, k.Close()
	}
	switch {
	case k.release != nil:
		return Held, nil
	case k.failed:
		return Unable, nil
	}
	release, err := k.system.Hold(ctx, why)
	if err != nil {
		k.failed = true
		return Unable, fmt.Errorf("keep this computer awake: %w", err)
	}
	k.release = release
	return Held, nil
}

// Close lets the computer sleep again.
func (k *Keeper) Close() error {
	if k.release == nil {
		return nil
	}
	release := k.release
	k.release = nil
	if err := release(); err != nil {
		return fmt.Errorf("let this computer sleep again: %w", err)
	}
	return nil
}

package awake

import (
	"context"
	"errors"
	"testing"
)

// desk is a computer that counts what is held.
type desk struct {
	battery     bool
	refuses     error
	asked, held int
}

func (d *desk) OnBattery(context.Context) bool { return d.battery }

func (d *desk) Hold(context.Context, string) (func() error, error) {
	d.asked++
	if d.refuses != nil {
		return nil, d.refuses
	}
	d.held++
	return func() error { d.held--; return nil }, nil
}

func TestTheComputerIsHeldWhileThatIsWantedAndItIsOnMains(t *testing.T) {
	d := &desk{}
	k := New(d)
	for i, step := range []struct {
		wanted, battery bool
		state           State
		held, asked     int
	}{
		{false, false, Free, 0, 0},
		{true, false, Held, 1, 1},
		{true, false, Held, 1, 1}, // not asked again
		{true, true, Battery, 0, 1},
		{true, false, Held, 1, 2},
		{false, false, Free, 0, 2},
	} {
		d.battery = step.battery
		state, err := k.Set(t.Context(), step.wanted, "2 jobs")
		if err != nil || state != step.state || d.held != step.held || d.asked != step.asked {
			t.Errorf("step %d: %q, held %d, asked %d, error %v; want %+v", i, state, d.held, d.asked, err, step)
		}
	}
}

func TestADesktopThatRefusesIsAskedOnceAWish(t *testing.T) {
	d := &desk{refuses: ErrUnsupported}
	k := New(d)
	if state, err := k.Set(t.Context(), true, "a job"); state != Unable || !errors.Is(err, ErrUnsupported) {
		t.Errorf("state %q, error %v", state, err)
	}
	if state, err := k.Set(t.Context(), true, "a job"); state != Unable || err != nil || d.asked != 1 {
		t.Errorf("the second look: state %q, error %v, asked %d times", state, err, d.asked)
	}
	d.refuses = nil
	for _, wanted := range []bool{false, true} {
		if _, err := k.Set(t.Context(), wanted, "a job"); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.Close(); err != nil || d.asked != 2 || d.held != 0 {
		t.Errorf("in the end asked %d times, held %d, error %v", d.asked, d.held, err)
	}
}

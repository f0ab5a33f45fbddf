package sim

import (
	"context"
	"time"

	"reckoner/scheduler/job"
)

// pace is the world's time: the clock's, running speed times as fast. Work and
// the habits of clients follow it; stamps are the clock's own.
type pace struct {
	clock *job.Clock
	speed float64
}

// now tells how long the world has been running.
func (p pace) now() time.Duration {
	return time.Duration(float64(p.clock.Now().Mono) * p.speed)
}

// timer fires after d of the world's time.
func (p pace) timer(d time.Duration) *time.Timer {
	return time.NewTimer(p.clock.Real(time.Duration(float64(d) / p.speed)))
}

// wait lets d pass, or returns early with the context's error.
func (p pace) wait(ctx context.Context, d time.Duration) error {
	t := p.timer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// seconds makes a duration, of at most thirty years.
func seconds(s float64) time.Duration {
	return time.Duration(max(min(s, 1e9), -1e9) * float64(time.Second))
}

package job

import "time"

// Instant is a moment as Reckoner knows it: the wall clock for records, and the
// time since the process started for limits, which a changed wall clock must
// not shorten or lengthen.
type Instant struct {
	Wall time.Time     // UTC
	Mono time.Duration // since the clock was made
}

// Since tells how long before i the instant then was, on the monotonic clock.
func (i Instant) Since(then Instant) time.Duration { return i.Mono - then.Mono }

// Add gives the instant d later.
func (i Instant) Add(d time.Duration) Instant {
	return Instant{Wall: i.Wall.Add(d), Mono: i.Mono + d}
}

// Clock tells the time of the story: real time, or in a demonstration real time
// running a stated number of times faster. One clock serves core, store and
// simulation. Deadlines on the network stay real and do not use it. The zero
// value is not usable; see NewClock.
type Clock struct {
	start time.Time
	speed float64
}

// NewClock gives a clock that starts now and runs speed times as fast as real
// time. A speed of 0 or less means 1.
func NewClock(speed float64) *Clock {
	if speed <= 0 {
		speed = 1
	}
	return &Clock{start: time.Now(), speed: speed}
}

// Speed tells how many seconds of the story pass in a real second.
func (c *Clock) Speed() float64 { return c.speed }

// Now gives the present instant.
func (c *Clock) Now() Instant {
	mono := time.Duration(float64(time.Since(c.start)) * c.speed)
	if c.speed == 1 {
		return Instant{Wall: time.Now().UTC().Round(0), Mono: mono}
	}
	return Instant{Wall: c.start.UTC().Round(0).Add(mono), Mono: mono}
}

// Real tells how long the story's d takes in real time, for timers.
func (c *Clock) Real(d time.Duration) time.Duration {
	return time.Duration(float64(d) / c.speed)
}

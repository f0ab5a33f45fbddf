package app

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"reckoner/app/awake"
	"reckoner/app/tray"
	"reckoner/scheduler"
)

// powerPeriod is how often it is looked whether the computer is on battery. A wish
// that changes is carried out at once.
const powerPeriod = 30 * time.Second

// power keeps this computer awake while there is work. It belongs to one
// goroutine, and not to that of the user interface: the desktop may be slow.
type power struct {
	keeper *awake.Keeper
	log    *slog.Logger
	tell   func(battery bool)
	wanted bool
	next   time.Time
	off    bool // a demonstration keeps nothing awake
}

func (w *window) newPower() *power {
	return &power{
		keeper: awake.New(awake.NewSystem(tray.Addressed())), log: w.o.Log, off: w.o.Demo,
		tell: func(battery bool) {
			if w.battery.Swap(battery) != battery {
				w.bridge.Changed()
			}
		},
	}
}

// look takes in a snapshot.
func (p *power) look(ctx context.Context, s *scheduler.Snapshot) {
	wanted := !p.off && wantsAwake(s)
	if now := time.Now(); wanted != p.wanted || now.After(p.next) {
		p.wanted, p.next = wanted, now.Add(powerPeriod)
		state, err := p.keeper.Set(ctx, wanted, "jobs run or wait: "+strconv.Itoa(len(s.Running)+len(s.Waiting)))
		if err != nil {
			p.log.InfoContext(ctx, "this computer may go to sleep", "error", err)
		}
		p.tell(state == awake.Battery)
	}
}

// wantsAwake tells whether there is work that needs this computer: what waits is
// sent from here, and what is rendered is fetched to here.
func wantsAwake(s *scheduler.Snapshot) bool {
	return !s.Settings.MaySleep && (len(s.Running) > 0 || len(s.Waiting) > 0 && !s.Paused)
}

func (p *power) end(ctx context.Context) {
	if err := p.keeper.Close(); err != nil {
		p.log.DebugContext(ctx, "keep awake", "error", err)
	}
}

package scheduler

import (
	"context"
	"fmt"
	"time"

	"reckoner/scheduler/core"
)

// handingTime bounds how long a hand-over is waited for.
const handingTime = time.Minute

// HandOver sends the next waiting jobs to their servers' own queues, so that they
// run while this program does not: count of them, or all that can go for 0. It
// returns when the servers have them, or do not take them now, and says how many
// wait there. Jobs that are held, and those of servers that could not stop one
// without stopping another, stay here.
func (e *Engine) HandOver(ctx context.Context, count int) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, handingTime)
	defer cancel()
	changed, done := e.Changed()
	defer done()
	if err := e.wait(ctx, core.HandOver{Count: count}); err != nil {
		return 0, fmt.Errorf("hand jobs over: %w", err)
	}
	for {
		var waiting, sending int
		err := e.ask(ctx, func(s *core.State) { waiting, sending = s.HandedOver() })
		if err == nil && sending > 0 {
			select {
			case <-changed:
				continue
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		if err != nil {
			return waiting, fmt.Errorf("hand jobs over: %w", err)
		}
		return waiting, nil
	}
}

package scheduler

import (
	"context"
	"fmt"

	"reckoner/scheduler/core"
	"reckoner/scheduler/estimate"
)

// UsualTime is [core.UsualTime].
type UsualTime = core.UsualTime

// UsualTimes gives what is known of a job type on each GPU, with the logs. From then
// on the user's word about them is carried out, also when no job of that type is
// in the queue.
func (e *Engine) UsualTimes(ctx context.Context, typeKey string) ([]UsualTime, error) {
	past := map[string][]estimate.Run{}
	if err := e.addPast(ctx, typeKey, past); err != nil {
		return nil, fmt.Errorf("what is usual: %w", err)
	}
	// The inbox keeps the order: the question is answered after they were learnt.
	e.inbox.push(item{event: core.JobsAdded{Past: past}})
	var known []UsualTime
	if err := e.ask(ctx, func(s *core.State) { known = s.UsualTimes(typeKey) }); err != nil {
		return nil, fmt.Errorf("what is usual: %w", err)
	}
	return known, nil
}

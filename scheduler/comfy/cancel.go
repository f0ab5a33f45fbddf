package comfy

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"

	"reckoner/scheduler/job"
)

// Remove takes a pending prompt off the server's queue. A running one is not
// touched. The server answers alike whether there was one.
func (c *Client) Remove(ctx context.Context, promptID string) error {
	q := post("/queue", nil)
	if promptID == "" {
		return c.unnamed(q)
	}
	var err error
	if q.body, err = json.Marshal(map[string][]string{"delete": {promptID}}); err != nil {
		return c.fail(job.ErrUnsupported, q, job.Args{Detail: err.Error()}, nil)
	}
	return c.tell(ctx, q)
}

// Interrupt asks the server to stop a running prompt, naming it; one that waits
// is not touched. Servers from 0.26 on are asked by a route that looks and stops
// under one lock, so that it never hits the next prompt. Servers before 0.3.57 ignore
// the name and stop whatever runs, so there the queue is read immediately
// before: when this prompt is not the running one nothing is sent and the error
// is job.ErrUnsupported. Between that look and the interrupt the prompt may end
// and the next one start; nothing can close that gap.
func (c *Client) Interrupt(ctx context.Context, promptID string) error {
	q := post("/interrupt", nil)
	if promptID == "" {
		return c.unnamed(q)
	}
	var err error
	if q.body, err = json.Marshal(map[string]string{"prompt_id": promptID}); err != nil {
		return c.fail(job.ErrUnsupported, q, job.Args{Detail: err.Error()}, nil)
	}
	can, err := c.capabilities(ctx)
	if err != nil {
		return err
	}
	if can.cancel && canonicalID.MatchString(promptID) {
		err := c.cancel(ctx, promptID)
		if job.CodeOf(err) != job.ErrNotComfy { // else something between us and the server lacks the route
			return err
		}
	}
	if can.targetedInterrupt {
		return c.tell(ctx, q)
	}
	queue, err := c.Queue(ctx)
	if err != nil {
		return err
	}
	if len(queue.Running) != 1 || queue.Running[0].ID != promptID {
		return c.fail(job.ErrUnsupported, q, job.Args{
			Detail: "this server stops whatever runs, and that is not this prompt; nothing was sent",
		}, nil)
	}
	return c.tell(ctx, q)
}

// cancel stops a prompt by the route that also takes waiting ones off the
// queue, so it first makes sure that this one does not wait.
func (c *Client) cancel(ctx context.Context, promptID string) error {
	queue, err := c.Queue(ctx)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(queue.Pending, func(p job.Prompt) bool { return p.ID == promptID }) {
		return nil
	}
	return c.tell(ctx, cancelCall(promptID))
}

// canonicalID is what the cancel route takes; other ids are 400 there.
var canonicalID = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// cancelCall stops one prompt, whether it waits or runs. Its answer is 200 also
// for an id that the server does not have.
func cancelCall(promptID string) call { return post("/jobs/"+promptID+"/cancel", []byte("{}")) }

// unnamed refuses a request that would mean everything.
func (c *Client) unnamed(q call) error {
	return c.fail(job.ErrUnsupported, q, job.Args{Detail: "no prompt was named; nothing was sent"}, nil)
}

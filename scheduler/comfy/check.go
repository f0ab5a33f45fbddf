package comfy

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"reckoner/scheduler/job"
)

const (
	// checkWait is how long the tiny prompt may take. It needs no model, but the
	// server may be importing code.
	checkWait  = 20 * time.Second
	checkPause = 250 * time.Millisecond
	tidyWait   = 10 * time.Second
)

// Check finds out whether the server can be used, beyond that it answers: it
// asks what it is, opens a websocket, and lets an idle server run a prompt of
// its own nodes that takes no model and no time. A server that is at work is not
// given one. The prompt's id is tag.Run, which must be new; what is left of it is
// cleaned up, but for a picture of 64 by 64 in the server's folder for
// temporary files.
func (c *Client) Check(ctx context.Context, tag job.Tag) job.Checkup {
	var found job.Checkup
	var err error
	if found.Info, err = c.Probe(ctx); err != nil {
		found.Err = c.asDown(err)
		return found
	}
	found.Known = true
	found.SocketErr = c.trySocket(ctx)
	queue, err := c.Queue(ctx)
	if err != nil {
		found.Err = c.asDown(err)
		return found
	}
	if found.Ahead = len(queue.Running) + len(queue.Pending); found.Ahead > 0 {
		return found
	}
	began := time.Now()
	if err := c.runTiny(ctx, tag); err != nil {
		found.Err = c.asDown(err)
		return found
	}
	found.Ran, found.Took = true, time.Since(began)
	return found
}

// trySocket opens a websocket under an id of its own and closes it properly.
func (c *Client) trySocket(ctx context.Context) *job.Error {
	s, err := c.openSocket(ctx, string(newID()), newMailbox())
	if err != nil {
		return c.asDown(err)
	}
	ctx, cancel := context.WithCancel(ctx)
	cancel() // it was only to be opened
	_, _ = s.run(ctx)
	return nil
}

// runTiny sends the tiny prompt, waits for its record and removes both.
func (c *Client) runTiny(ctx context.Context, tag job.Tag) (err error) {
	receipt, err := c.Submit(ctx, job.Submission{
		Graph: job.Graph{Raw: tinyPrompt(tag.Run)}, PromptID: tag.Run, ClientID: string(newID()), Tag: tag,
	})
	if err != nil {
		if job.CodeOf(err) == job.ErrOutcomeUnknown { // it may be there all the same
			c.tidy(ctx, string(tag.Run))
		}
		return err
	}
	defer c.tidy(ctx, receipt.PromptID)
	ctx, cancel := context.WithTimeout(ctx, checkWait)
	defer cancel()
	for ctx.Err() == nil {
		record, ok, err := c.Record(ctx, receipt.PromptID)
		switch {
		case err != nil && ctx.Err() == nil:
			return err
		case ok && record.Err != nil:
			return record.Err
		case ok && record.Outcome == job.RunInterrupted:
			return c.fail(job.ErrInterrupted, post("/prompt", nil), job.Args{}, nil)
		case ok:
			return nil
		}
		sleep(ctx, checkPause)
	}
	return c.fail(job.ErrNotWorking, post("/prompt", nil), job.Args{Seconds: checkWait.Seconds()}, contextError(ctx.Err()))
}

// tidy takes the tiny prompt off the queue, stops it if it still runs, and
// removes its record, whether or not the caller still waits.
func (c *Client) tidy(ctx context.Context, promptID string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyWait)
	defer cancel()
	err := c.Remove(ctx, promptID)
	if err == nil {
		if queue, qerr := c.Queue(ctx); qerr == nil && len(queue.Running) == 1 && queue.Running[0].ID == promptID {
			err = c.Interrupt(ctx, promptID)
		}
	}
	if err == nil {
		q := post("/history", nil)
		if q.body, err = json.Marshal(map[string][]string{"delete": {promptID}}); err == nil {
			err = c.tell(ctx, q)
		}
	}
	if err != nil {
		c.log.InfoContext(ctx, "prompt of a check stays behind", "prompt_id", promptID, "error", err)
	}
}

// tinyPrompt makes a small picture in a colour of its own, so that the server
// does not take it from its cache.
func tinyPrompt(id job.ID) []byte {
	color := 0
	for _, b := range []byte(id) {
		color = (color*31 + int(b)) & 0xffffff
	}
	return fmt.Appendf(nil, `{"1":{"class_type":"EmptyImage",`+
		`"inputs":{"width":64,"height":64,"batch_size":1,"color":%d}},`+
		`"2":{"class_type":"PreviewImage","inputs":{"images":["1",0]}}}`, color)
}

package comfy

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"reckoner/scheduler/job"
)

// Queue reads what runs and waits on the server, ours and others', pending
// prompts in the order in which they will run.
func (c *Client) Queue(ctx context.Context) (job.Queue, error) {
	q := get("/queue", queueAnswer)
	raw, a, err := c.ask(ctx, q)
	if err != nil {
		if job.CodeOf(err) == job.ErrNotComfy { // another server may have taken its place
			c.forget()
		}
		return job.Queue{}, err
	}
	queue, code := decodeQueue(raw)
	if code != "" {
		// The answer holds other people's workflows, so it is not quoted.
		return job.Queue{}, c.fail(code, q, job.Args{Status: a.status, Detail: "not a queue of ComfyUI"}, nil)
	}
	c.pulse.saw(queue)
	return queue, nil
}

// decodeQueue reads a queue as a whole or not at all: a prompt that was left
// out would be taken for gone. It gives the code of what is wrong.
func decodeQueue(raw []byte) (q job.Queue, code string) {
	o, ok := asObject(raw)
	if !ok || o["queue_running"] == nil || o["queue_pending"] == nil {
		return job.Queue{}, job.ErrBadReply
	}
	if q.Running, code = decodePrompts(o["queue_running"]); code != "" {
		return job.Queue{}, code
	}
	if q.Pending, code = decodePrompts(o["queue_pending"]); code != "" {
		return job.Queue{}, code
	}
	// The server sends its heap as it lies in memory.
	slices.SortStableFunc(q.Pending, func(a, b job.Prompt) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.ID, b.ID))
	})
	return q, ""
}

func decodePrompts(raw json.RawMessage) (prompts []job.Prompt, code string) {
	items, ok := asList(raw)
	if !ok {
		return nil, job.ErrBadReply
	}
	for _, item := range items {
		tuple, ok := asList(item)
		if !ok || len(tuple) < 2 {
			return nil, job.ErrBadReply
		}
		if isCloud(tuple) {
			return nil, job.ErrUnsupported
		}
		p := promptOf(tuple)
		if p.ID == "" {
			return nil, job.ErrBadReply
		}
		prompts = append(prompts, p)
	}
	return prompts, ""
}

// isCloud tells Comfy Cloud's tuples, which have the outputs before the extra
// data and are run several at a time (comfyui-protocol, 1.3).
func isCloud(tuple []json.RawMessage) bool {
	if len(tuple) < 4 {
		return false
	}
	_, ok := asList(tuple[3])
	return ok
}

// promptOf reads [number, id, prompt, extra_data, outputs, ...], as the queue
// and the history have it; what is missing stays empty.
func promptOf(tuple []json.RawMessage) job.Prompt {
	var p job.Prompt
	if len(tuple) > 1 {
		p.Number, _ = asNumber(tuple[0])
		p.ID = asText(tuple[1])
	}
	if len(tuple) > 3 {
		if extra, ok := asObject(tuple[3]); ok {
			p.Client = extra.text("client_id")
			p.Tag = tagOf(extra.object("reckoner"))
		}
	}
	return p
}

// maxTag bounds each part of a tag: anybody can write one.
const maxTag = 128

func tagOf(o object) job.Tag {
	t := job.Tag{Job: job.ID(o.text("job")), Run: job.ID(o.text("run")), App: o.text("app")}
	if len(t.Job) > maxTag || len(t.Run) > maxTag || len(t.App) > maxTag {
		return job.Tag{}
	}
	return t
}

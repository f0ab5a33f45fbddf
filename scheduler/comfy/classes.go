package comfy

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"time"

	"reckoner/scheduler/job"
)

const (
	// classAnswer bounds /object_info. With very many custom nodes and models it
	// is some 20 MB.
	classAnswer = 128 << 20
	// classWait is long: servers look through their folders of models for it,
	// while everything else on their event loop waits (comfyui-protocol, 1.8).
	classWait = 3 * time.Minute
	// classesAtMost bounds how many are asked for one by one.
	classesAtMost = 500
)

// Classes reads the server's node classes. One bad custom node can make the
// whole answer fail; then those in need are asked for one by one, and a class
// that the server does not have is left out.
func (c *Client) Classes(ctx context.Context, need []string) (job.Classes, error) {
	q := get("/object_info", classAnswer)
	q.within = classWait
	classes, err := c.askClasses(ctx, q)
	switch job.CodeOf(err) {
	case job.ErrServerFault, job.ErrBadReply, job.ErrTooLarge:
	default:
		return classes, err
	}
	c.log.Info("the server's classes cannot be read at once", "err", err)
	all, _, oneErr := c.ClassesNamed(ctx, need)
	switch {
	case oneErr != nil:
		return nil, oneErr
	case len(all) == 0:
		return nil, err
	}
	return all, nil
}

// ClassesNamed reads node classes by their names, at most 500. Those of which the
// server says that it has none are absent; one that it fails to describe is
// neither found nor absent.
func (c *Client) ClassesNamed(ctx context.Context, need []string) (found job.Classes, absent []string, err error) {
	found = job.Classes{}
	names := slices.Compact(slices.Sorted(slices.Values(need)))
	for _, name := range names[:min(len(names), classesAtMost)] {
		raw, a, err := c.ask(ctx, get("/object_info/"+url.PathEscape(name), smallAnswer*8))
		switch job.CodeOf(err) {
		case job.ErrServerFault, job.ErrBadReply, job.ErrTooLarge, job.ErrUnsupported:
			continue // this is the bad one, or one of them
		}
		if err != nil {
			return nil, nil, err
		}
		// A server without the class answers {}; one that has it names it, also
		// where its description has another shape than is known.
		members, isObject := asObject(raw)
		if isObject && members[name] == nil && a.status == http.StatusOK {
			absent = append(absent, name)
			continue
		}
		var one job.Classes
		if json.Unmarshal(raw, &one) == nil && isObject {
			if class, ok := one[name]; ok {
				found[name] = class
			}
		}
	}
	return found, absent, nil
}

func (c *Client) askClasses(ctx context.Context, q call) (job.Classes, error) {
	raw, a, err := c.ask(ctx, q)
	if err != nil {
		return nil, err
	}
	var classes job.Classes
	if err := json.Unmarshal(raw, &classes); err != nil {
		return nil, c.fail(job.ErrBadReply, q, job.Args{Status: a.status, Detail: "no node classes"}, err)
	}
	return classes, nil
}

package sim

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// result is what the cache keeps of a node that ran.
type result struct {
	ui *object // its results for people, nil when none
}

// run is the execution of one prompt.
type run struct {
	p    *process
	it   *item
	g    graph
	keys map[string]string // signatures by node
	mem  int64
	work workModel

	client   string
	told     bool // the prompt has a client_id
	progress *object
	messages []any
	executed []string
	outcome  Outcome
	hidden   bool // it failed, and the record's status says success
}

// Outcome is how a prompt ended.
type Outcome string

// The ways in which a prompt ends.
const (
	Succeeded   Outcome = "success"
	Failed      Outcome = "error"
	Interrupted Outcome = "interrupted"
)

// work is the process's worker: one prompt after the other.
func (p *process) work(ctx context.Context) {
	for {
		it := p.take(ctx)
		if it == nil {
			return
		}
		if d := p.srv.faults.get().StartDelayS; d > 0 && p.srv.pace.wait(ctx, seconds(d)) != nil {
			return
		}
		r := p.newRun(it)
		if err := r.execute(ctx); err != nil {
			return // the process was killed in the middle of it
		}
	}
}

func (p *process) newRun(it *item) *run {
	s := p.srv
	p.runs++
	r := &run{p: p, it: it, g: graph{it.prompt, s.classes}, keys: map[string]string{}, progress: obj()}
	luck := seeded(s.seed, s.Name(), strconv.Itoa(p.runs))
	r.work = workModel{fixed: s.spec.Seconds, factor: max(0.9, 1+spread*luck.NormFloat64())}
	if v, ok := it.extra.get("client_id"); ok && v != nil {
		r.client, r.told = pyText(v), true
	}
	return r
}

// execute runs the prompt to its end and writes the record. An error means that
// the process ended first.
func (r *run) execute(ctx context.Context) error {
	if !r.begin() {
		// The real server's fault, kept: its worker dies of an exception that
		// nobody catches, and the prompt stays listed as running for ever.
		<-ctx.Done()
		return ctx.Err()
	}
	cached := r.cached()
	r.mem = r.memory()
	r.say(false, "execution_cached", r.stamped(obj("nodes", strList(cached), "prompt_id", r.it.id)))
	r.p.srv.tellStart(r)
	isCached := map[string]bool{}
	for _, id := range cached {
		isCached[id] = true
	}
	plan := newPlan(r.g, r.it.outputs, func(id string) bool { return isCached[id] })
	for id := plan.next(); id != "" && r.outcome == ""; id = plan.next() {
		if isCached[id] {
			r.repeat(id)
			continue
		}
		if err := r.node(ctx, id); err != nil {
			return err
		}
	}
	if r.outcome == "" {
		r.outcome = Succeeded
		if r.p.srv.proto.success {
			r.say(false, "execution_success", r.stamped(obj("prompt_id", r.it.id)))
		}
	}
	if d := r.p.srv.faults.get().HistoryDelayS; d > 0 {
		if err := r.p.srv.pace.wait(ctx, seconds(d)); err != nil {
			return err
		}
	}
	r.end()
	return nil
}

// begin tells the start and sorts the cache. It is false for a prompt that has a
// node without inputs, connected or not.
func (r *run) begin() bool {
	p := r.p
	p.mu.Lock()
	p.interrupted = false
	p.client, p.lastNode = nil, ""
	if r.told {
		p.client = &r.client
	}
	p.mu.Unlock()
	r.say(false, "execution_start", r.stamped(obj("prompt_id", r.it.id)))
	for _, id := range r.it.prompt.keys {
		if r.g.inputs(id) == nil {
			return false
		}
		r.g.signature(id, r.keys)
	}
	// Only what this prompt uses stays in the cache.
	wanted := map[string]bool{}
	for _, k := range r.keys {
		wanted[k] = true
	}
	for k := range p.cache {
		if !wanted[k] {
			delete(p.cache, k)
		}
	}
	return true
}

// memory is what the run holds on the card, in bytes.
func (r *run) memory() int64 {
	s := r.p.srv
	most := s.gpu.total() - 1200*mib
	if s.spec.MemoryMiB > 0 {
		return min(s.spec.MemoryMiB*mib, most)
	}
	return min(r.g.memory(), most)
}

func (r *run) end() {
	r.p.mu.Lock()
	r.p.lastNode = ""
	r.p.mu.Unlock()
	r.p.srv.gpu.rest(r.p.srv.Name())
	r.p.finish(r.it.id, r.record())
	if r.told {
		r.p.hub.send(r.client, "executing", obj("node", nil, "prompt_id", r.it.id))
	}
	r.p.srv.tellEnd(r)
}

func (r *run) cached() []string {
	var ids []string
	for _, id := range r.it.prompt.keys {
		if r.p.cache[r.keys[id]] != nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// repeat reports the result of a cached output node.
func (r *run) repeat(id string) {
	if r.told {
		var output any
		if res := r.p.cache[r.keys[id]]; res.ui != nil {
			output = res.ui
		}
		r.tellExecuted(id, output)
	}
	r.setProgress(id, 1, 1, "finished")
}

// tellBegun tells the prompt's client that a node begins.
func (r *run) tellBegun(id string) {
	if !r.told {
		return
	}
	r.p.mu.Lock()
	r.p.lastNode = id
	r.p.mu.Unlock()
	begun := obj("node", id)
	if r.p.srv.proto.display {
		begun.set("display_node", id)
	}
	begun.set("prompt_id", r.it.id)
	r.p.hub.send(r.client, "executing", begun)
}

// node runs one node.
func (r *run) node(ctx context.Context, id string) error {
	srv := r.p.srv
	r.setProgress(id, 0.0, 1.0, "running")
	r.tellBegun(id)
	if r.p.stopWanted() {
		r.interrupted(id)
		return nil
	}
	class := r.g.class(id).name
	t := r.work.task(r.g, id, r.remember)
	t.stubborn = t.stubborn || srv.faults.has(func(f *Faults) []string { return f.Uninterruptible }, class)
	if err := r.lockAndLoad(ctx, t); err != nil {
		return err
	}
	value, limit, end, err := r.steps(ctx, id, t)
	if err != nil {
		return err
	}
	switch {
	case end == endedInterrupted && srv.faults.has(func(f *Faults) []string { return f.ErrorOnInterrupt }, class):
		r.failed(id, "RuntimeError", "Generation cancelled by user")
		return nil
	case end == endedInterrupted:
		r.interrupted(id)
		return nil
	case end == endedMemory, r.g.class(id).work == "boom",
		t.steps == 0 && srv.faults.has(func(f *Faults) []string { return f.OutOfMemory }, class):
		r.failed(id, "RuntimeError", "CUDA out of memory. Tried to allocate 20.00 GiB")
		return nil
	}
	if r.goesWrong(id, class) {
		return nil
	}
	ui, err := srv.save(r.g, id, r.it.extra)
	switch {
	case errors.Is(err, errDiskFull):
		r.failed(id, "OSError", err.Error())
		return nil
	case err != nil:
		r.failed(id, "RuntimeError", err.Error())
		return nil
	}
	if other, ok := srv.results[class]; ok {
		ui = other
	}
	if ui != nil {
		r.tellExecuted(id, ui)
	}
	r.p.cache[r.keys[id]] = &result{ui: ui}
	r.setProgress(id, value, limit, "finished")
	r.executed = append(r.executed, id)
	return nil
}

// nodeEnd is how the steps of a node ended.
type nodeEnd int

const (
	endedWell nodeEnd = iota
	endedInterrupted
	endedMemory
)

// steps lets a node's work pass. It gives the node's last progress, and how it
// ended: by an interrupt found after a step, or for want of memory.
func (r *run) steps(ctx context.Context, id string, t task) (value, limit any, end nodeEnd, err error) {
	value, limit = 1.0, 1.0
	if t.steps == 0 {
		return value, limit, endedWell, r.pass(ctx, t, t.d)
	}
	class, faults := r.g.class(id).name, &r.p.srv.faults
	t.steps *= max(1, faults.get().CallsPerStep)
	for i := 1; i <= t.steps; i++ {
		if err := r.pass(ctx, t, t.d/time.Duration(t.steps)); err != nil {
			return nil, nil, endedWell, err
		}
		f := faults.get()
		switch {
		case t.stubborn || !r.p.stopWanted():
		case !slices.Contains(f.SwallowInterrupts, class):
			return nil, nil, endedInterrupted, nil
		}
		if slices.Contains(f.OutOfMemory, class) && i >= memoryStep(f, t.steps) {
			return nil, nil, endedMemory, nil
		}
		value, limit = i, t.steps
		r.setProgress(id, value, limit, "running")
		step := obj("value", value, "max", limit)
		if r.p.srv.proto.stepIDs {
			step.set("prompt_id", r.it.id)
			step.set("node", id)
		}
		r.tell("progress", step)
		if f.PreviewBytes > 0 {
			r.p.hub.show(r.client, !r.told, picture{
				node: id, prompt: r.it.id, size: f.PreviewBytes, art: previewArt(r.g, id),
				done: float64(i) / float64(t.steps),
			})
		}
	}
	return value, limit, endedWell, nil
}

func (r *run) pass(ctx context.Context, t task, d time.Duration) error {
	srv := r.p.srv
	switch {
	case d <= 0:
		return ctx.Err()
	case t.asleep:
		srv.gpu.rest(srv.Name())
		return srv.pace.wait(ctx, d)
	}
	return srv.gpu.do(ctx, srv.Name(), t.what, r.mem, d)
}

// remember tells whether a model file was in use before on this process.
func (r *run) remember(file string) bool {
	was := r.p.loaded[file]
	r.p.loaded[file] = true
	return was
}

// stamped adds the server's time to a message, on servers that do.
func (r *run) stamped(data *object) *object {
	if r.p.srv.proto.stamps {
		data.set("timestamp", r.p.srv.stamp())
	}
	return data
}

// say sends a message of the run's story and keeps it for the record.
func (r *run) say(everybody bool, kind string, data *object) {
	r.messages = append(r.messages, list(kind, data))
	switch {
	case r.told:
		r.p.hub.send(r.client, kind, data)
	case everybody:
		r.p.hub.broadcast(kind, data)
	}
}

// tell sends what goes to the run's client, or to everybody when it has none.
func (r *run) tell(kind string, data *object) {
	if r.told {
		r.p.hub.send(r.client, kind, data)
		return
	}
	r.p.hub.broadcast(kind, data)
}

func (r *run) tellExecuted(id string, output any) {
	if r.told {
		done := obj("node", id)
		if r.p.srv.proto.display {
			done.set("display_node", id)
		}
		done.set("output", output)
		done.set("prompt_id", r.it.id)
		r.p.hub.send(r.client, "executed", done)
	}
}

// setProgress changes a node's progress and tells the whole of it.
func (r *run) setProgress(id string, value, limit any, state string) {
	if !r.p.srv.proto.progressState {
		return
	}
	o := obj("value", value, "max", limit, "state", state, "node_id", id, "prompt_id", r.it.id,
		"display_node_id", id, "parent_node_id", nil, "real_node_id", id)
	if r.p.srv.proto.activity && state == "running" && r.g.class(id).work == "load" {
		o.set("activity", "loading")
	}
	r.progress.set(id, o)
	all := obj("prompt_id", r.it.id, "nodes", r.progress.clone())
	if r.p.srv.proto.progressToAll {
		r.p.hub.broadcast("progress_state", all)
		return
	}
	r.tell("progress_state", all)
}

func (r *run) interrupted(id string) {
	r.outcome = Interrupted
	r.say(true, "execution_interrupted", r.stamped(obj("prompt_id", r.it.id, "node_id", id,
		"node_type", r.g.class(id).name, "executed", strList(r.executed))))
}

func (r *run) failed(id, kind, text string) {
	r.outcome = Failed
	clear(r.p.loaded) // the server unloads every model before it tells
	switch {
	case r.p.srv.proto.missingNodeType && strings.Contains(text, "out of memory"):
		text += "\nThis error means you ran out of memory on your GPU.\n\nTIPS: If the workflow worked before you might " +
			"have accidentally set the batch_size to a large number."
	case r.p.srv.proto.errorTips:
		text += "\n"
	}
	inputs := obj()
	for _, name := range r.g.inputs(id).keys {
		v := r.g.inputs(id).vals[name]
		if _, isLink := v.([]any); isLink {
			v = "tensor([[[[0., 0., 1.],\n          ...]]]])"
		}
		inputs.set(name, list(v))
	}
	if r.p.srv.faults.get().NaN {
		inputs.set("strength", list(math.NaN()))
	}
	r.say(false, "execution_error", r.stamped(obj("prompt_id", r.it.id, "node_id", id, "node_type", r.g.class(id).name,
		"executed", strList(r.executed), "exception_message", text, "exception_type", kind,
		"traceback", list("  File \"/srv/comfyui/execution.py\", line 1, in execute\n"),
		"current_inputs", inputs, "current_outputs", strList(r.it.prompt.keys))))
}

// record is the prompt's entry in the history.
func (r *run) record() *object {
	outputs, meta := obj(), obj()
	for _, id := range r.it.prompt.keys {
		res := r.p.cache[r.keys[id]]
		if res == nil || res.ui == nil {
			continue
		}
		outputs.set(id, res.ui)
		meta.set(id, obj("node_id", id, "display_node", id, "parent_node", nil, "real_node_id", id))
	}
	word := "success"
	well := r.outcome == Succeeded || r.hidden ||
		r.outcome == Interrupted && r.p.srv.faults.get().InterruptedAsSuccess
	if !well {
		word = "error"
	}
	o := obj("prompt", r.p.tuple(r.it, withoutSecrets(r.it.extra)), "outputs", outputs)
	if r.p.srv.proto.status {
		o.set("status", obj("status_str", word, "completed", well, "messages", r.messages))
	}
	if r.p.srv.proto.display {
		o.set("meta", meta)
	}
	return o
}

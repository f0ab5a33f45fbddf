package sim

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"
)

// process is what a render server's process holds in memory, and what a restart
// loses: the queue, the record of what ended, the cache, the sockets.
type process struct {
	srv *Server
	hub *hub

	mu          sync.Mutex
	counter     int
	waiting     []*item // heapq's array
	running     *item
	history     map[string]*object
	historyKeys []string // in order of completion
	interrupted bool
	freeModels  bool
	freeCache   bool
	client      *string // of the running prompt
	lastNode    string  // begun last, "" when none
	lockUntil   time.Duration
	wake        chan struct{}

	// Of the worker alone.
	cache  map[string]*result
	loaded map[string]bool
	runs   int
	warm   bool // a sampler has taken its first step

	cancel context.CancelFunc
	done   sync.WaitGroup
}

// maxHistory is how many records the server keeps before it drops the oldest.
const maxHistory = 10000

func newProcess(s *Server) *process {
	return &process{
		srv: s, hub: newHub(s), history: map[string]*object{}, wake: make(chan struct{}, 1),
		cache: map[string]*result{}, loaded: map[string]bool{},
	}
}

// start runs the worker and the publisher until stop.
func (p *process) start(ctx context.Context) {
	ctx, p.cancel = context.WithCancel(ctx)
	p.done.Go(func() { p.work(ctx) })
	p.done.Go(func() { p.hub.publish(ctx, p.waitForLock) })
	if every := p.srv.spec.MonitorEveryS; every > 0 {
		p.done.Go(func() { p.monitor(ctx, seconds(every)) })
	}
}

// stop ends the process as a kill does and waits for its goroutines.
func (p *process) stop() {
	p.cancel()
	p.hub.close()
	p.done.Wait()
	p.srv.gpu.leave(p.srv.Name())
}

// holdLock stops every answer and message for d, as a node does that holds
// Python's lock.
func (p *process) holdLock(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lockUntil = p.srv.pace.now() + d
}

// waitForLock waits until nobody holds the lock. It is false when the context
// ended first.
func (p *process) waitForLock(ctx context.Context) bool {
	for ctx.Err() == nil {
		p.mu.Lock()
		left := p.lockUntil - p.srv.pace.now()
		p.mu.Unlock()
		if left <= 0 {
			return true
		}
		if p.srv.pace.wait(ctx, left) != nil {
			return false
		}
	}
	return false
}

// info is {"exec_info": {"queue_remaining": N}}. The lock must be held.
func (p *process) info() *object {
	n := len(p.waiting)
	if p.running != nil {
		n++
	}
	return obj("exec_info", obj("queue_remaining", n))
}

// tellStatus tells everybody the queue's length. The lock must be held, so that
// the messages' order is that of the changes.
func (p *process) tellStatus() { p.hub.broadcast("status", obj("status", p.info())) }

// enqueue gives a prompt its place.
func (p *process) enqueue(it *item) {
	p.mu.Lock()
	p.waiting = heapPush(p.waiting, it)
	p.tellStatus()
	p.mu.Unlock()
	p.poke()
}

func (p *process) poke() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// take gives the next prompt, waiting for it, or nil when the context ends.
func (p *process) take(ctx context.Context) *item {
	for {
		p.mu.Lock()
		if len(p.waiting) > 0 && !p.srv.faults.get().DeadWorker {
			var it *item
			p.waiting, it = heapPop(p.waiting)
			p.running = it
			p.tellStatus()
			p.mu.Unlock()
			return it
		}
		models, cache := p.freeModels, p.freeCache
		p.freeModels, p.freeCache = false, false
		p.mu.Unlock()
		p.free(models, cache)
		select {
		case <-p.wake:
		case <-ctx.Done():
			return nil
		}
	}
}

func (p *process) free(models, cache bool) {
	if models || cache {
		clear(p.loaded)
	}
	if cache {
		clear(p.cache)
	}
}

// remove deletes the first waiting prompt with an id, or all for "". It tells
// everybody when something went.
func (p *process) remove(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.waiting, func(it *item) bool { return id == "" || it.id == id })
	switch {
	case id == "":
		p.waiting = nil
	case i < 0:
		return false
	default:
		p.waiting = heapDelete(p.waiting, i)
	}
	p.tellStatus()
	return true
}

// interrupt sets the flag that the running prompt looks at between its steps.
// With an id it does so only when that prompt runs.
func (p *process) interrupt(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if id != "" && (p.running == nil || p.running.id != id) {
		return false
	}
	p.interrupted = true
	return true
}

// stopWanted tells whether the flag is set, and clears it, as raising the
// exception does.
func (p *process) stopWanted() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	was := p.interrupted
	p.interrupted = false
	return was
}

// finish moves the running prompt into the record, in one step for whoever
// asks.
func (p *process) finish(id string, record *object) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.historyKeys) > maxHistory {
		delete(p.history, p.historyKeys[0])
		p.historyKeys = p.historyKeys[1:]
	}
	if _, ok := p.history[id]; !ok {
		p.historyKeys = append(p.historyKeys, id)
	}
	p.history[id] = record
	p.running = nil
	p.tellStatus()
}

func (p *process) forget(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if id == "" {
		clear(p.history)
		p.historyKeys = nil
		return
	}
	delete(p.history, id)
	if i := slices.Index(p.historyKeys, id); i >= 0 {
		p.historyKeys = append(p.historyKeys[:i:i], p.historyKeys[i+1:]...)
	}
}

// tuple is a prompt as /queue and /history list it.
func (p *process) tuple(it *item, extra *object) []any {
	f, prompt := p.srv.faults.get(), it.prompt
	if f.NaN {
		prompt = changed(prompt)
	}
	if p.srv.proto.front.cloud {
		return list(it.written, it.id, prompt, strList(it.outputs), extra)
	}
	t := list(it.written, it.id, prompt, extra, strList(it.outputs))
	if f.LongTuples {
		t = append(t, obj())
	}
	return t
}

// changed is a prompt in which nodes say that they have always changed.
func changed(prompt *object) *object {
	out := prompt.clone()
	for _, id := range out.keys {
		if node := out.object(id); node != nil {
			node = node.clone()
			node.set("is_changed", list(math.NaN()))
			out.set(id, node)
		}
	}
	return out
}

// secrets are the keys of extra_data that the record leaves out.
var secrets = []string{"auth_token_comfy_org", "api_key_comfy_org"}

func withoutSecrets(extra *object) *object {
	c := extra.clone()
	for _, s := range secrets {
		c.remove(s)
	}
	return c
}

package sim

import (
	"context"
	_ "embed"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"time"
)

//go:embed client.json
var clientPrompt []byte

// visitor is somebody else who sends prompts to a server: a Client at work. Its
// prompts are ordinary entries of the queue and the record.
type visitor struct {
	spec   Client
	server *Server
	prompt *object
	pace   pace
	rng    *rand.Rand
	log    *slog.Logger
	news   chan change // of the server that it waits for; nil when it waits for none
}

func newVisitor(spec Client, s *Server) (*visitor, error) {
	text := []byte(spec.Prompt)
	if len(text) == 0 {
		text = clientPrompt
	}
	v, err := decode(text)
	prompt, ok := v.(*object)
	if err != nil || !ok {
		return nil, fmt.Errorf("client %s of server %s: its prompt is not a JSON object: %w", spec.ID, s.Name(), err)
	}
	if spec.MaxWaiting == 0 {
		spec.MaxWaiting = 3
	}
	visitor := &visitor{
		spec: spec, server: s, prompt: prompt, pace: s.pace, log: s.log,
		rng: seeded(s.seed, "client", s.machine, s.Name(), spec.ID),
	}
	if spec.When.Server != "" {
		visitor.news = make(chan change, 256)
	}
	return visitor, nil
}

// hear passes on a server's news. It never blocks: a visitor that does not
// listen any more misses them.
func (v *visitor) hear(c change) {
	if c.server != v.spec.When.Server {
		return
	}
	select {
	case v.news <- c:
	default:
	}
}

// visit lives the client's life until the context ends.
func (v *visitor) visit(ctx context.Context) {
	if v.news != nil {
		v.afterStart(ctx)
		return
	}
	w := v.spec.When
	for round := 0.0; ; round++ {
		start := w.FromS + round*w.PeriodS
		if v.pace.wait(ctx, seconds(start)-v.pace.now()) != nil {
			return
		}
		stay, leave := ctx, context.CancelFunc(func() {})
		if w.ToS > 0 {
			stay, leave = v.pace.withTimeout(ctx, seconds(w.ToS-w.FromS))
		}
		v.send(stay)
		leave()
		if ctx.Err() != nil || w.PeriodS <= 0 {
			return
		}
	}
}

// afterStart comes after the start of a prompt elsewhere on the machine, and
// leaves after its end.
func (v *visitor) afterStart(ctx context.Context) {
	w := v.spec.When
	started, ok := v.await(ctx, func(c change) bool {
		named := w.Contains != "" && !c.ended && strings.Contains(string(encode(c.prompt)), w.Contains)
		return named || !c.ended && w.MinS > 0 && c.takes >= seconds(w.MinS)
	})
	if !ok || v.pace.wait(ctx, seconds(w.DelayS)) != nil {
		return
	}
	stay, leave := context.WithCancel(ctx)
	defer leave()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, ok := v.await(ctx, func(c change) bool { return c.ended && c.id == started.id })
		if ok && v.pace.wait(ctx, seconds(w.LeaveS)) == nil {
			leave()
		}
	}()
	v.send(stay)
	<-gone
	v.log.Debug("client left", "server", v.server.Name(), "client", v.spec.ID)
}

func (v *visitor) await(ctx context.Context, wanted func(change) bool) (change, bool) {
	for {
		select {
		case c := <-v.news:
			if wanted(c) {
				return c, true
			}
		case <-ctx.Done():
			return change{}, false
		}
	}
}

// send submits a prompt every EveryS or so, unless enough are waiting.
func (v *visitor) send(ctx context.Context) {
	for {
		v.submit()
		pause := v.spec.EveryS + v.spec.JitterS*(2*v.rng.Float64()-1)
		if v.pace.wait(ctx, seconds(pause)) != nil {
			return
		}
	}
}

func (v *visitor) submit() {
	p := v.server.process()
	if p == nil {
		return
	}
	p.mu.Lock()
	waiting := len(p.waiting)
	p.mu.Unlock()
	if waiting >= v.spec.MaxWaiting {
		return
	}
	body := obj("prompt", v.varied())
	if !v.spec.Anonymous {
		body.set("client_id", v.spec.ID)
	}
	status, reply := p.submit(body)
	if status != 200 {
		v.log.Error("a client's prompt was refused",
			"server", v.server.Name(), "client", v.spec.ID, "reply", string(encode(reply)))
	}
}

// varied copies the prompt with new seeds, so that nothing comes from the cache.
func (v *visitor) varied() *object {
	prompt := v.prompt.clone()
	for _, id := range prompt.keys {
		node := prompt.object(id)
		if node == nil || node.object("inputs") == nil {
			continue
		}
		node = node.clone()
		inputs := node.object("inputs").clone()
		for _, key := range []string{"seed", "noise_seed"} {
			if _, ok := inputs.get(key); ok {
				inputs.set(key, int(v.rng.Int64N(1<<40)))
			}
		}
		node.set("inputs", inputs)
		prompt.set(id, node)
	}
	return prompt
}

// withTimeout ends a context after d of the world's time.
func (p pace) withTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, p.clock.Real(time.Duration(float64(d)/p.speed)))
}

package sim

import (
	"context"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"
)

const mib = int64(1) << 20

// use is what a server does with its GPU during a piece of work.
type use int

const (
	useNone    use = iota // reading files, encoding videos: the GPU waits
	useLoad               // moving a model in
	useCompute            // kernels run
)

// gpu is a simulated card: who uses it, how fast that goes, and what its
// sensors would say. It owns no goroutine; its state changes when a server
// begins or ends a piece of work.
type gpu struct {
	spec GPU
	pace pace
	seed uint64

	mu      sync.Mutex
	tenants map[string]*tenant
	changed chan struct{} // closed and replaced when the set of workers changes
	temp    float64       // at tempAt, moving towards what the power draw gives
	tempAt  time.Duration
}

// tenant is a server on the card.
type tenant struct {
	use       use
	mem       int64   // bytes while it works
	context   bool    // it has used the card before, and keeps a context on it
	spillRate float64 // its share of full speed when the memory does not suffice
	pid       int
	// keeps is how long its models stay on the card after its work; kept is what
	// stays until keptTill.
	keeps    time.Duration
	kept     int64
	keptTill time.Duration
}

func newGPU(spec GPU, p pace, seed uint64) *gpu {
	g := &gpu{spec: spec, pace: p, seed: seed, tenants: map[string]*tenant{}, changed: make(chan struct{})}
	g.temp = ambient + warming*spec.IdleW/spec.LimitW
	return g
}

// add gives a server a place on the card.
func (g *gpu) add(server string, spillRate float64, keeps time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if spillRate <= 0 {
		spillRate = defaultSpillRate
	}
	g.tenants[server] = &tenant{spillRate: spillRate, keeps: keeps, pid: 4400 + 11*len(g.tenants)}
}

const (
	// defaultSpillRate is how fast a job goes whose memory lies in the host's
	// because another program fills the card.
	defaultSpillRate = 0.2
	contextBytes     = 560 * mib // a CUDA context and torch's own
	desktopBytes     = 310 * mib // a screen
	// keptFree is what a driver keeps back when programs ask for more memory
	// than there is.
	keptFree = 711 * mib

	ambient = 33.0 // degrees Celsius at no power
	warming = 36.0 // more at full power
	thermal = 45 * time.Second
)

// do lets a piece of work of d at full speed pass on the card. It takes longer
// while others compute too, and much longer while all together need more memory
// than there is. The server goes on using the card in this way until its next
// work or rest, so that the sensors see no gaps between two steps.
func (g *gpu) do(ctx context.Context, server string, what use, mem int64, d time.Duration) error {
	g.set(server, what, mem)
	for {
		rate, steady, changed := g.rate(server)
		need := time.Duration(float64(d) / rate)
		t := g.pace.timer(min(need, steady))
		start := g.pace.now()
		select {
		case <-t.C:
			if need <= steady {
				return nil
			}
			d = max(0, d-time.Duration(float64(steady)*rate))
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		case <-changed:
			t.Stop()
			d -= time.Duration(float64(g.pace.now()-start) * rate)
			d = max(d, 0)
		}
	}
}

// rest ends a server's use of the card.
func (g *gpu) rest(server string) { g.set(server, useNone, 0) }

// leave takes everything of a server off the card, as the end of its process
// does.
func (g *gpu) leave(server string) {
	g.rest(server)
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.tenants[server]
	t.context, t.kept, t.keptTill = false, 0, 0
}

func (g *gpu) set(server string, what use, mem int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.tenants[server]
	if t.use == what && t.mem == mem {
		return
	}
	now := g.pace.now()
	g.temp, g.tempAt = g.temperature(now), now
	if mem == 0 && t.mem > 0 && t.keeps > 0 {
		t.kept, t.keptTill = t.mem, now+t.keeps
	}
	t.use, t.mem = what, mem
	if mem > 0 {
		t.context, t.kept, t.keptTill = true, 0, 0
	}
	close(g.changed)
	g.changed = make(chan struct{})
}

// always is longer than any story.
const always = 1000 * time.Hour

// rate is how fast a server's work goes now, how long at most that stays so by
// itself, and a channel that closes when it may change before.
func (g *gpu) rate(server string) (rate float64, steady time.Duration, changed <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.tenants[server]
	if t.use != useCompute {
		return 1, always, g.changed
	}
	now := g.pace.now()
	speed := g.spec.Speed
	switch n := g.computing(); {
	case g.spilled(now):
		return speed * t.spillRate, g.keptFor(now), g.changed
	case n > 1:
		return speed / float64(n), always, g.changed
	}
	return speed, always, g.changed
}

// spilled tells whether somebody computes while the models of two programs or
// more, also of those that only keep theirs there, need more memory than the
// card has.
func (g *gpu) spilled(now time.Duration) bool {
	models := 0
	for _, t := range g.tenants {
		if t.mem > 0 || t.keptTill > now {
			models++
		}
	}
	return models > 1 && g.computing() > 0 && g.wanted(now) > g.total()
}

// keptFor is how long it is until the first program that only keeps its models
// on the card lets go of them.
func (g *gpu) keptFor(now time.Duration) time.Duration {
	first := always
	for _, t := range g.tenants {
		if t.mem == 0 && t.kept > 0 && t.keptTill > now {
			first = min(first, t.keptTill-now)
		}
	}
	return first
}

func (g *gpu) computing() int {
	n := 0
	for _, t := range g.tenants {
		if t.use == useCompute {
			n++
		}
	}
	return n
}

func (g *gpu) total() int64 { return g.spec.MemoryMiB * mib }

// wanted is the memory that all programs together ask for.
func (g *gpu) wanted(now time.Duration) int64 {
	sum := desktopBytes
	for _, t := range g.tenants {
		sum += t.held(now)
	}
	return sum
}

func (t *tenant) held(now time.Duration) int64 {
	switch {
	case t.mem > 0:
		return max(t.mem, contextBytes)
	case t.keptTill > now:
		return max(t.kept, contextBytes)
	case t.context:
		return contextBytes
	}
	return 0
}

// sample is what the card's sensors say.
type sample struct {
	util, power, limit, temp float64
	used, total              int64
	smHz                     float64
	pstate                   int
	powerCapped              bool
	apps                     []app
}

type app struct {
	server string
	pid    int
	used   int64
}

func (g *gpu) sample() sample {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.pace.now()
	s := sample{limit: g.spec.LimitW, total: g.total(), temp: math.Round(g.temperature(now))}
	s.used = min(g.wanted(now), s.total-keptFree)
	s.util, s.power = g.load(now)
	switch {
	case s.util == 100:
	case s.util > 90:
		s.util = math.Round(min(100, s.util+g.noise("util", now)*1.6))
	default:
		s.util = math.Round(max(0, s.util+g.noise("util", now)*2))
	}
	s.power = math.Round(s.power*(1+0.02*g.noise("power", now))*10) / 10
	s.smHz, s.pstate = 2602e6, 0
	if s.util < 5 {
		s.smHz, s.pstate = 210e6, 8
	}
	s.powerCapped = s.power > 0.93*s.limit
	for name, t := range g.tenants {
		if held := t.held(now); held > 0 {
			s.apps = append(s.apps, app{name, t.pid, min(held, s.used)})
		}
	}
	return s
}

// load is utilisation and power before noise. A card whose programs do not fit
// is always busy and draws little: it waits for the bus.
func (g *gpu) load(now time.Duration) (util, watts float64) {
	var loading bool
	for _, t := range g.tenants {
		loading = loading || t.use == useLoad
	}
	switch n := g.computing(); {
	case g.spilled(now):
		return 100, 0.24 * g.spec.LimitW
	case n > 1:
		return 100, 0.95 * g.spec.LimitW
	case n == 1:
		return 98.4, 0.955 * g.spec.LimitW
	case loading:
		return 18, g.spec.IdleW + 0.2*(g.spec.LimitW-g.spec.IdleW)
	}
	return 1, g.spec.IdleW
}

// temperature follows the power draw with a card's slowness.
func (g *gpu) temperature(now time.Duration) float64 {
	_, watts := g.load(now)
	target := ambient + warming*watts/g.spec.LimitW
	return target + (g.temp-target)*math.Exp(-float64(now-g.tempAt)/float64(thermal))
}

// noise is between -1 and 1, the same for the same seed, card and second.
func (g *gpu) noise(what string, now time.Duration) float64 {
	r := seeded(g.seed, g.spec.UUID, what, strconv.FormatInt(int64(now/time.Second), 10))
	return 2*r.Float64() - 1
}

// seeded makes a source of randomness that depends on the seed and the words
// only.
func seeded(seed uint64, words ...string) *rand.Rand {
	h := fnv.New64a()
	for _, w := range words {
		h.Write([]byte(w)) // a hash.Hash never returns an error
		h.Write([]byte{0})
	}
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

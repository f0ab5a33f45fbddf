package queue

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
	"reckoner/scheduler/note"
)

const (
	// oldAfter is the age at which a reading is no longer shown as current.
	oldAfter = 30 * time.Second
	// recentSpan is how much of the past a gauge shows.
	recentSpan = 10 * time.Minute
	// gapAfter is how far apart two readings are joined by a line.
	gapAfter = 25 * time.Second
	// programsShown is how many programs of others a card names.
	programsShown = 2
)

// CardState makes a machine's card.
func CardState(s *scheduler.Snapshot, m scheduler.MachineView, w text.Language) widgets.CardState {
	c := widgets.CardState{Name: m.Machine.Name}
	c.Badge, c.Tone = badge(m)
	for _, g := range m.GPUs {
		state := gpuState(s, g, w)
		if state.Gauges[0].Old && len(m.SourceErr) > 0 {
			state.Source += " · " + trouble(w, m.SourceErr[0].Err)
		}
		c.GPUs = append(c.GPUs, state)
	}
	if len(m.GPUs) > 0 {
		c.Model = model(m.GPUs[0].GPU.Name)
		if n := len(m.GPUs); n > 1 {
			c.Model = plural(n, "GPU", "GPUs")
		}
	} else {
		c.Missing = missing(m, w)
	}
	c.OtherLead, c.Other = other(m, w)
	if lead, rest, asks := cardNote(m, w); asks {
		c.OtherLead, c.Other = lead, rest
	}
	return c
}

// model shortens a GPU's name to what tells it apart.
func model(name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(name, "NVIDIA "), "GeForce ")
}

// badge says in a few words what the machine does.
func badge(m scheduler.MachineView) (string, widgets.Tone) {
	reachable := len(m.Servers) == 0
	for _, v := range m.Servers {
		reachable = reachable || v.Err == nil
	}
	foreign := m.Foreign || computed(m)
	switch {
	case !reachable:
		return "Does not answer", widgets.Bad
	case m.Mine == scheduler.MineStopping && foreign:
		return "Busy: your stopped job and other work", widgets.Odd
	case m.Mine == scheduler.MineStopping:
		return "Stopping your job", widgets.Odd
	case m.Mine == scheduler.MineRunning && foreign:
		return "Your job and other work", widgets.Odd
	case m.Mine == scheduler.MineRunning:
		return "Running your job", widgets.Mine
	case foreign:
		return "Busy: other work", widgets.Odd
	case m.Machine.Paused:
		return "Paused by you", widgets.Quiet
	}
	return "Free", widgets.Quiet
}

// missing says why there are no gauges.
func missing(m scheduler.MachineView, w text.Language) string {
	for _, e := range m.SourceErr {
		return trouble(w, e.Err)
	}
	if len(m.Machine.Sources) == 0 {
		return "No source of GPU readings is set for this machine."
	}
	return "No reading of its GPU yet."
}

// other says what else is on the machine: facts, and what is not known.
func other(m scheduler.MachineView, w text.Language) (lead, rest string) {
	for i, v := range m.Servers {
		f := v.Foreign
		if f.Prompts == 0 && f.Ahead == 0 {
			continue
		}
		who := "Its server"
		if len(m.Servers) > 1 {
			who = "Its " + ordinal(i+1) + " server"
		}
		if i == 0 {
			who = "Its server"
		}
		if f.Prompts == 0 {
			return "Other work:", fmt.Sprintf("%s has %s that %s not yours.", strings.ToLower(who[:1])+who[1:],
				plural(f.Ahead, "job", "jobs"), isAre(f.Ahead))
		}
		rest = fmt.Sprintf("%s took %s in %s", who, plural(f.Prompts, "job", "jobs"), w.Duration(f.OverS))
		if every, ok := f.EveryS.Get(); ok {
			rest += ", one about every " + w.Duration(every)
		}
		if !m.Foreign {
			return "", rest + "; none of them yours. None now."
		}
		return "Other work.", rest + "; none are yours."
	}
	if lead, rest := programs(m, w); rest != "" {
		return lead, rest
	}
	for _, v := range m.Servers {
		if v.Err != nil {
			return "", trouble(w, v.Err)
		}
	}
	switch {
	case len(m.Servers) == 0:
		return "", "No render server of this machine is known."
	case m.Mine != scheduler.MineNone:
		return "", "Only your jobs."
	}
	return "", "No jobs here."
}

// programs says which programs of others are on the machine's GPUs, those that
// compute before those that only hold memory.
func programs(m scheduler.MachineView, w text.Language) (lead, rest string) {
	var says []string
	for _, g := range m.GPUs {
		for _, p := range g.Programs {
			says = append(says, w.Say(note.SayProgram(p))+".")
		}
	}
	if len(says) == 0 {
		return "", ""
	}
	if more := len(says) - programsShown; more > 0 {
		says = append(says[:programsShown], fmt.Sprintf("And %d more.", more))
	}
	if computed(m) {
		lead = "Other work."
	}
	return lead, strings.Join(says, " ")
}

// computed tells whether a program of others computes on one of the machine's
// GPUs.
func computed(m scheduler.MachineView) bool {
	return slices.ContainsFunc(m.GPUs, func(g scheduler.GPUView) bool {
		return slices.ContainsFunc(g.Programs, note.Computes)
	})
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// gpuState makes a GPU's three gauges.
func gpuState(s *scheduler.Snapshot, g scheduler.GPUView, w text.Language) widgets.GPUState {
	r := g.Last
	speed := max(s.Speed, 1)
	age := max(s.At.Wall.Sub(r.At), 0)
	old := age > scaled(oldAfter, speed)
	limit := r.Limit.Or(highest(g.Recent, func(r job.Reading) job.Maybe[float64] { return r.Limit }))
	if limit == 0 {
		limit = highest(g.Recent, func(r job.Reading) job.Maybe[float64] { return r.Power })
	}
	util, power, memory := widgets.GaugeState{Title: "Utilisation", Old: old},
		widgets.GaugeState{Title: "Power against limit", Old: old, Odd: g.LowPower && !old},
		widgets.GaugeState{Title: "Memory", Old: old}
	fill(&util, r.Util, 100, "%", "%.0f", "%.0f")
	fill(&power, r.Power, r.Limit.Or(0), "W", "%.0f", "of %.0f W")
	fill(&memory, gib(r.MemUsed), gib(r.MemTotal).Or(0), "GiB", "%.1f", "of %.1f GiB")
	util.Unit = "%"
	if !r.Util.Known() {
		util.Unit = unknown
	}
	util.Recent = recent(g.Recent, speed, 100, func(r job.Reading) job.Maybe[float64] { return r.Util })
	power.Recent = recent(g.Recent, speed, limit, func(r job.Reading) job.Maybe[float64] { return r.Power })
	memory.Recent = recent(g.Recent, speed, gib(r.MemTotal).Or(0),
		func(r job.Reading) job.Maybe[float64] { return gib(r.MemUsed) })
	if idle, ok := g.IdleW.Get(); ok && r.Limit.Or(0) > 0 {
		power.Mark = idle / r.Limit.Or(0)
	}
	state := widgets.GPUState{Gauges: [3]widgets.GaugeState{util, power, memory}, Source: sourceLine(g, age, old, w)}
	if !old {
		state.Finding = finding(g, w)
	}
	return state
}

// finding is the strongest sentence that may be said of a GPU, or what was seen
// while nothing is sure, and what it rests on.
func finding(g scheduler.GPUView, w text.Language) widgets.FindingState {
	var f widgets.FindingState
	switch {
	case g.Verdict != nil:
		f.Says = w.Say(*g.Verdict) + "."
	case len(g.Seen) > 0:
		says := make([]string, 0, len(g.Seen))
		for _, say := range g.Seen {
			says = append(says, w.Say(say)+".")
		}
		f.Says = strings.Join(says, " ")
	default:
		return f
	}
	for _, say := range g.Evidence {
		f.Evidence = append(f.Evidence, w.Say(say)+".")
	}
	return f
}

const unknown = "not known"

// fill puts a figure into a gauge. of is the full scale, 0 when it is not known.
func fill(g *widgets.GaugeState, v job.Maybe[float64], of float64, unit, figure, full string) {
	g.Fraction = -1
	x, ok := v.Get()
	if !ok {
		g.Unit = unknown
		return
	}
	g.Figure, g.Unit = fmt.Sprintf(figure, x), unit
	if of > 0 {
		g.Fraction, g.Unit = x/of, fmt.Sprintf(full, of)
	}
}

// sourceLine says what the figures mean together, how old they are and where
// they come from.
func sourceLine(g scheduler.GPUView, age time.Duration, old bool, w text.Language) string {
	var says []string
	if util, ok := g.Last.Util.Get(); ok && g.LowPower && !old && len(g.Seen) == 0 {
		says = append(says, fmt.Sprintf("Low power for %.0f %% busy", util))
	}
	measured := "measured "
	if old {
		measured = "last measured "
	}
	says = append(says, measured+w.Duration(math.Round(age.Seconds()))+" ago, "+sourceName(g.Last.Source))
	for _, f := range []struct {
		name string
		of   scheduler.Origin
	}{
		{"utilisation", g.Origins.Util}, {"power", g.Origins.Power}, {"memory", g.Origins.Memory},
	} {
		if f.of.Source != "" && f.of.Source != g.Last.Source {
			since := age + g.Last.At.Sub(f.of.At)
			says = append(says, f.name+" "+w.Duration(math.Round(max(since, 0).Seconds()))+" ago, "+sourceName(f.of.Source))
		}
	}
	if len(g.Recent) > 1 {
		says = append(says, "last 10 min")
	}
	says[0] = strings.ToUpper(says[0][:1]) + says[0][1:]
	return strings.Join(says, " · ")
}

// sourceName says in words where readings come from.
func sourceName(source string) string {
	kind, _, _ := strings.Cut(source, ":")
	switch kind {
	case "ssh":
		return "nvidia-smi over ssh"
	case "prom":
		return "its metrics page"
	case "comfy":
		return "its render server"
	case "crystools":
		return "Crystools in its render server"
	case "file":
		return "a file"
	}
	return kind
}

func gib(b job.Maybe[int64]) job.Maybe[float64] {
	v, ok := b.Get()
	if !ok {
		return job.Maybe[float64]{}
	}
	return job.Known(float64(v) / (1 << 30))
}

func highest(rs []job.Reading, of func(job.Reading) job.Maybe[float64]) float64 {
	top := 0.0
	for _, r := range rs {
		top = max(top, of(r).Or(0))
	}
	return top
}

// recent makes the points of a sparkline, the newest reading at its right end.
// They change only when a reading comes.
func recent(
	rs []job.Reading, speed, full float64, of func(job.Reading) job.Maybe[float64],
) []widgets.Point {
	if len(rs) == 0 || full <= 0 {
		return nil
	}
	end := rs[len(rs)-1].At
	points := make([]widgets.Point, 0, len(rs))
	for i, r := range rs {
		x := 1 - float64(end.Sub(r.At))/float64(recentSpan)
		if x < 0 {
			continue
		}
		v, ok := of(r).Get()
		gap := i > 0 && r.At.Sub(rs[i-1].At) > scaled(gapAfter, max(speed/8, 1))
		if gap || !ok {
			points = append(points, widgets.Point{X: x, Y: -1})
		}
		if ok {
			points = append(points, widgets.Point{X: x, Y: v / full})
		}
	}
	return points
}

// scaled is a span of time in a story that passes so many times as fast.
func scaled(d time.Duration, speed float64) time.Duration { return time.Duration(float64(d) * speed) }

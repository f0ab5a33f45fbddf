package history

import (
	"fmt"
	"slices"
	"strings"

	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// logShown is how many lines of a log are shown, the newest.
const logShown = 6

// answer is the user's word as an action's key: what, about which revision of which
// baseline.
func answer(kind job.AnswerKind, log job.BaselineLog, about int) string {
	return fmt.Sprintf("%s\x00%s\x00%s\x00%d", kind, log.TypeKey, log.GPU, about)
}

// command reads an action's key.
func command(key string) (scheduler.AnswerBaseline, bool) {
	parts := strings.Split(key, "\x00")
	if len(parts) != 4 {
		return scheduler.AnswerBaseline{}, false
	}
	c := scheduler.AnswerBaseline{Kind: job.AnswerKind(parts[0]), TypeKey: parts[1], GPU: parts[2]}
	_, err := fmt.Sscan(parts[3], &c.About)
	return c, err == nil
}

// Asked makes a notice of the changes of usual times that wait for the user: they
// are never taken by themselves when runs take longer than before (rule 7). name
// gives a job type in words, where the machine of a GPU.
func Asked(proposals []job.BaselineLog, name, where func(string) string, w text.Language) widgets.NoticeState {
	n := widgets.NoticeState{Title: "Is this the usual time now?"}
	for _, log := range proposals {
		n.Lines = append(n.Lines, proposed(log, name(log.TypeKey)+" on "+where(log.GPU)+": ", w)...)
	}
	return n
}

// proposed are the lines of a log that ends with a proposal.
func proposed(log job.BaselineLog, lead string, w text.Language) []widgets.NoticeLine {
	if len(log.Revisions) == 0 {
		return nil
	}
	r := log.Revisions[len(log.Revisions)-1]
	if r.Kind != job.RevisionProposed {
		return nil
	}
	return []widgets.NoticeLine{
		{
			Tone: widgets.Odd, Text: lead + w.Say(r.Say()) + ".",
			Action: widgets.Action{Key: answer(job.AnswerUse, log, r.Seq), Label: "Use " + w.Usual(r.MidS)},
		},
		{
			Text: "Until you decide, the usual time stays as it is, default time limits go by the longer of the two, and no " +
				"run is called slow that is usual by either.",
			Action: widgets.Action{Key: answer(job.AnswerKeep, log, r.Seq), Label: "Keep " + w.Usual(r.WasMidS)},
		},
	}
}

// Known makes a notice of what is known of a job type, on each GPU, and how that
// came about.
func Known(known []scheduler.UsualTime, where func(string) string, w text.Language) widgets.NoticeState {
	n := widgets.NoticeState{Title: "Usual time of this kind", Plain: true}
	for _, u := range known {
		n.Lines = append(n.Lines, widgets.NoticeLine{Tone: widgets.Mine, Text: where(u.GPU) + ": " + w.Say(u.Say) + "."})
		for _, held := range u.Held {
			n.Lines = append(n.Lines, widgets.NoticeLine{Tone: widgets.Quiet, Text: w.Say(held) + "."})
		}
		log := u.Revisions[max(0, len(u.Revisions)-logShown):]
		asked := proposed(u.BaselineLog, "", w)
		if len(asked) > 0 {
			log = log[:len(log)-1]
		}
		for _, r := range log {
			l := widgets.NoticeLine{Text: w.Say(r.Say()) + "."}
			if r.Seq == u.MayUndo {
				l.Action = widgets.Action{Key: answer(job.AnswerUndo, u.BaselineLog, r.Seq), Label: "Take it back"}
			}
			n.Lines = append(n.Lines, l)
		}
		n.Lines = append(n.Lines, asked...)
	}
	return n
}

// where names the machine that has a GPU, or the GPU where none has it any more.
func (p *Page) where(gpu string) string {
	if p.snapshot != nil {
		for _, m := range p.snapshot.Machines {
			if slices.ContainsFunc(m.GPUs, func(g scheduler.GPUView) bool { return g.GPU.Key() == gpu }) {
				return text.Plain(m.Machine.Name)
			}
		}
	}
	for i := range p.rows {
		if p.rows[i].Run.GPU == gpu {
			if m := p.machine(p.rows[i]); m != "" {
				return text.Plain(m)
			}
		}
	}
	model, _, _ := strings.Cut(gpu, "/")
	if model == "" {
		return "a GPU that is not known"
	}
	return text.Plain(model)
}

// kindName gives a job type in words, as far as a run or a job of it is at hand.
func (p *Page) kindName(typeKey string) string {
	for i := range p.rows {
		if p.rows[i].Run.TypeKey == typeKey {
			return p.words.Type(p.rows[i].Job.Type)
		}
	}
	if p.snapshot != nil {
		for _, views := range [][]scheduler.JobView{p.snapshot.Running, p.snapshot.Waiting, p.snapshot.Done} {
			for i := range views {
				if views[i].Job.Type.Key == typeKey {
					return p.words.Type(views[i].Job.Type)
				}
			}
		}
	}
	return "A kind of job"
}

// sayUsual shows what is known of the chosen kind, or what waits for the user's word.
func (p *Page) sayUsual() {
	var n widgets.NoticeState
	switch {
	case p.filter.TypeKey != "":
		n = Known(p.known, p.where, p.words)
	case p.snapshot != nil:
		n = Asked(p.snapshot.Proposals, p.kindName, p.where, p.words)
	}
	p.usual.Set(n)
	if on := len(n.Lines) > 0; on {
		p.usual.Show()
	} else {
		p.usual.Hide()
	}
	p.view.Layout(nil, p.Size())
}

// waiting tells proposals from others.
func waiting(proposals []job.BaselineLog) string {
	var b strings.Builder
	for _, p := range proposals {
		fmt.Fprintf(&b, "%s\x00%s\x00%d\n", p.TypeKey, p.GPU, len(p.Revisions))
	}
	return b.String()
}

// Proposed counts the changes of usual times that wait for the user.
func Proposed(s *scheduler.Snapshot) int { return len(s.Proposals) }

// askUsual asks for what is known of the chosen kind.
func (p *Page) askUsual() {
	p.known = nil
	if p.filter.TypeKey != "" && p.OnUsual != nil {
		p.OnUsual(p.filter.TypeKey)
	}
	p.sayUsual()
}

// LoadedUsual brings what is known of a kind. An answer to another choice than the
// present one is not shown.
func (p *Page) LoadedUsual(typeKey string, known []scheduler.UsualTime) {
	if typeKey != p.filter.TypeKey {
		return
	}
	p.known = known
	p.sayUsual()
}

// answered hands the user's word on, and asks what it came to.
func (p *Page) answered(key string) {
	if c, ok := command(key); ok && p.OnCommand != nil {
		p.OnCommand(c)
		if p.filter.TypeKey != "" && p.OnUsual != nil {
			p.OnUsual(p.filter.TypeKey)
		}
	}
}

package machines

import (
	"slices"

	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// Looked is what came of looking for other render servers of a machine.
type Looked struct {
	Asked   bool // by the user, ever
	Running bool // it is under way
	Found   []string
	Err     *job.Error
	// Problem is why one that was found could not be added, in a sentence.
	Problem string
}

// lookedLines say what was found, and offer to watch it. One that is among the
// machines by now is not offered again.
func lookedLines(m scheduler.MachineView, o Looked, w text.Language) []widgets.NoticeLine {
	switch {
	case !o.Asked:
		return nil
	case o.Running:
		return []widgets.NoticeLine{{Text: "Asking the usual ports of this machine …"}}
	case o.Err != nil:
		what, _ := w.FinalError(o.Err)
		return []widgets.NoticeLine{{Tone: widgets.Bad, Text: what}}
	case len(o.Found) == 0:
		return []widgets.NoticeLine{{Text: "No other render server answers at this machine's usual ports."}}
	}
	var lines []widgets.NoticeLine
	if o.Problem != "" {
		lines = append(lines, widgets.NoticeLine{Tone: widgets.Bad, Text: o.Problem})
	}
	for _, url := range o.Found {
		known := slices.ContainsFunc(m.Servers, func(v scheduler.ServerView) bool { return v.Server.URL == url })
		if !known {
			lines = append(lines, widgets.NoticeLine{
				Tone: widgets.Odd, Text: "Another render server answers at " + url + ".",
				Action: widgets.Action{Key: doWatch + url, Label: "Watch it"},
			})
		}
	}
	return lines
}

// look has a machine's hosts asked for other render servers, once at a time.
func (p *Page) look(machine job.ID) {
	if p.OnLook == nil || p.looks[machine].Running {
		return
	}
	p.looked(machine, Looked{Asked: true, Running: true})
	p.OnLook(machine, func(o Looked) {
		o.Asked, o.Running = true, false
		p.looked(machine, o)
	})
}

func (p *Page) looked(machine job.ID, o Looked) {
	p.looks[machine] = o
	p.fill()
}

// watch wants a server that was found watched: it is never sent to.
func (p *Page) watch(m scheduler.MachineView, url string) {
	if p.OnAdd == nil {
		return
	}
	p.OnAdd(Wish{Address: url, Machine: m.Machine.ID, WatchOnly: true}, func(problem string) {
		if problem != "" {
			o := p.looks[m.Machine.ID]
			o.Problem = problem
			p.looked(m.Machine.ID, o)
		}
	})
}

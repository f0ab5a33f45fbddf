package queue

import (
	"reckoner/app/widgets"
	"reckoner/scheduler"
)

// What can be done when jobs wait and there is no machine.
const (
	doAddMachine = "add machine"
	doAddLocal   = "add local"
)

// applyLonely says that there is no machine for the jobs that wait, where the empty
// page said so before. It tells whether that changed.
func (p *Page) applyLonely(s *scheduler.Snapshot) bool {
	was := p.lonely.Visible()
	on := len(s.Machines) == 0 && len(s.Waiting) > 0
	show(p.lonely, on)
	if !on {
		return was
	}
	n := widgets.NoticeState{
		Title:   "No machine yet",
		Actions: []widgets.Action{{Key: doAddMachine, Label: "Add a machine…"}},
		Lines: []widgets.NoticeLine{{
			Text: "Your jobs wait here until there is one that runs ComfyUI. " +
				"To look around first, start the demo: reckoner --demo.",
		}},
	}
	if p.empty.url != "" {
		n.Title = "ComfyUI runs on this computer"
		n.Actions = []widgets.Action{{Key: doAddLocal, Label: "Add this computer"}}
		n.Lines[0].Text = "It answers at " + p.empty.url + ". Your jobs wait here until it is added."
	}
	p.lonely.Set(n)
	return !was
}

func (p *Page) helpLonely(key string) {
	switch {
	case key == doAddMachine:
		call(p.OnAddMachine)
	case key == doAddLocal && p.OnLocal != nil:
		p.OnLocal(p.empty.url)
	}
}

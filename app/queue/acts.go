package queue

import (
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// toTheEnd is more steps than any list has rows.
const toTheEnd = 1 << 30

// key does what a key asks for; false leaves it to the list.
func (p *Page) key(k fyne.KeyName) bool {
	call(p.OnActive)
	switch k {
	case fyne.KeyDown:
		p.step(1)
	case fyne.KeyUp:
		p.step(-1)
	case fyne.KeyPageDown:
		p.step(10)
	case fyne.KeyPageUp:
		p.step(-10)
	case fyne.KeyHome:
		p.step(-toTheEnd)
	case fyne.KeyEnd:
		p.step(toTheEnd)
	case fyne.KeyDelete, fyne.KeyBackspace:
		p.CancelSelected()
	case fyne.KeyReturn, fyne.KeyEnter:
		p.OpenSelected()
	case fyne.KeyRight, fyne.KeyLeft, fyne.KeySpace:
		b := p.chosenBatch()
		if b == nil {
			return false
		}
		p.unfold(b.key, k == fyne.KeyRight || k == fyne.KeySpace && !b.open)
	default:
		return false
	}
	return true
}

func (p *Page) step(by int) {
	id := neighbour(p.list.rows, p.selectedID(), by)
	if id == "" {
		return
	}
	p.Select(id)
	for i := range p.list.rows.length() {
		if p.list.rows.at(i).id() == id {
			p.list.ScrollTo(i)
			return
		}
	}
}

// CancelSelected cancels the selected job; a running one only after asking.
func (p *Page) CancelSelected() {
	if b := p.chosenBatch(); b != nil {
		p.actOnBatch(b.key, doCancel)
		return
	}
	if v := p.Selected(); v != nil {
		p.act(v.Job.ID, doCancel)
	}
}

// MoveSelected moves the selected waiting job a place forward in the queue, or
// back.
func (p *Page) MoveSelected(forward bool) {
	if b := p.chosenBatch(); b != nil {
		p.moveBatch(b, forward)
		return
	}
	v := p.Selected()
	if v == nil || v.Job.State != job.JobWaiting {
		return
	}
	waiting := p.snapshot.Waiting
	for i := range waiting {
		if waiting[i].Job.ID != v.Job.ID {
			continue
		}
		before := i - 1
		if !forward {
			before = i + 2 // the one after the next
		}
		switch {
		case forward && i == 0, !forward && i == len(waiting)-1:
		case before >= len(waiting):
			p.send(scheduler.Move{Job: v.Job.ID})
		default:
			p.send(scheduler.Move{Job: v.Job.ID, Before: waiting[before].Job.ID})
		}
		return
	}
}

// OpenSelected opens the first result of the selected job.
func (p *Page) OpenSelected() {
	if b := p.chosenBatch(); b != nil {
		p.actOnBatch(b.key, doOpen)
		return
	}
	if v := p.Selected(); v != nil {
		p.act(v.Job.ID, doOpen)
	}
}

// MenuOfSelected opens the menu of the selected job, or of all jobs of the
// selected batch, beside its details.
func (p *Page) MenuOfSelected() {
	var jobs []*scheduler.JobView
	if b := p.chosenBatch(); b != nil {
		jobs = b.members
	} else if v := p.Selected(); v != nil {
		jobs = []*scheduler.JobView{v}
	}
	if len(jobs) == 0 || p.OnMenu == nil {
		return
	}
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(p.details)
	p.OnMenu(jobs, at.Add(fyne.NewPos(menuInset, menuBelow)))
}

// Where a menu opens on the details: below their buttons.
const menuInset, menuBelow = 12, 76

// act carries out what was asked of a job.
func (p *Page) act(id job.ID, key string) {
	verb, about, _ := strings.Cut(key, " ")
	if verb == doAnswer {
		p.send(scheduler.Reply{Question: id, Answer: job.Answer(about)})
		p.focus(p.list) // the button that was pressed goes away
		return
	}
	if p.actOnNote(verb, job.ID(about)) {
		return
	}
	if verb == doMenu {
		p.MenuOfSelected()
		return
	}
	v := find(p.snapshot, id)
	if v == nil {
		p.actOnBatch(id, key)
		return
	}
	switch verb {
	case doCancel:
		p.cancel(v)
	case doAgain:
		p.send(scheduler.Again{Job: id})
	case doDismiss:
		p.send(scheduler.Dismiss{Job: id})
	case doSend:
		p.send(scheduler.SendAnyway{Job: id})
	case doMove:
		p.send(scheduler.MoveTo{Job: id, Machine: job.ID(about)})
	case doOpen:
		if made := results(v); len(made) > 0 && p.OnOpen != nil {
			p.OnOpen(target(made))
		}
	}
}

// target is the file to open, or the folder when there are several.
func target(made []job.Output) string {
	if len(made) == 1 {
		return made[0].File
	}
	return filepath.Dir(made[0].File)
}

func (p *Page) cancel(v *scheduler.JobView) {
	id := v.Job.ID
	switch v.Job.State {
	case job.JobEnded:
	case job.JobWaiting:
		p.send(scheduler.Cancel{Job: id})
	default:
		if !stopping(v) && p.OnStop != nil {
			p.OnStop(v.Job.Name, func() { p.send(scheduler.Cancel{Job: id}) })
		}
	}
}

func (p *Page) send(c scheduler.Command) {
	if p.OnCommand != nil {
		p.OnCommand(c)
	}
}

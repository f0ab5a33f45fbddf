package queue

import (
	"slices"

	"reckoner/app/notes"
	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// notesShown is how many notes the details of a job show.
const notesShown = 3

// cardNote is the line of a card for the newest open note that is about now: the
// question, where it stands, and what was seen. ok is false without one.
func cardNote(m scheduler.MachineView, w text.Language) (lead, rest string, ok bool) {
	for _, n := range m.Notes {
		if !n.Open() || n.Quiet {
			continue
		}
		rest = w.NoteStatus(n) + "."
		if n.Finding.Code != "" {
			rest += " " + w.Say(n.Finding) + "."
		}
		return w.NoteClaim(n), rest, true
	}
	return "", "", false
}

// notesFor are the notes of a job's machine: those about now, and those that this
// job raised or tested.
func notesFor(s *scheduler.Snapshot, v *scheduler.JobView, w text.Language) []notes.State {
	i := slices.IndexFunc(s.Machines, func(m scheduler.MachineView) bool {
		return v.MachineName != "" && m.Machine.Name == v.MachineName
	})
	if i < 0 {
		return nil
	}
	var list []notes.State
	for _, n := range s.Machines[i].Notes {
		concerns := n.Open() && !n.Quiet || n.Job == v.Job.ID || n.Test.Job == v.Job.ID ||
			slices.ContainsFunc(n.Results, func(r job.TestResult) bool { return r.Test.Job == v.Job.ID })
		if concerns && len(list) < notesShown {
			list = append(list, notes.StateOf(n, v.MachineName, w))
		}
	}
	return list
}

// actOnNote carries out what was asked of a note. ok is false for other keys.
func (p *Page) actOnNote(verb string, id job.ID) (ok bool) {
	switch verb {
	case notes.Test, notes.ShowEvidence:
		p.details.toggle(verb + " " + string(id))
	case notes.BeginTest:
		p.details.toggle(notes.Test + " " + string(id))
		p.send(scheduler.StartTest{Note: id})
	case notes.EndTest:
		p.send(scheduler.EndTest{Note: id})
	default:
		return false
	}
	return true
}

// withoutEvidence leaves out what changes with every look: it is shown as it was
// when it was opened, so that buttons do not go away under a finger.
func withoutEvidence(d DetailState) DetailState {
	d.Notes = slices.Clone(d.Notes)
	for i := range d.Notes {
		d.Notes[i].Evidence = nil
	}
	return d
}

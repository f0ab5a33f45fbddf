package app

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// askFrom is how many jobs are asked about before they are queued: one is simply
// added.
const askFrom = 2

// kindsShown bounds how many kinds of job, and how many refused files, the dialog
// lists.
const kindsShown = 6

// consider looks at files that were dropped or chosen, and adds them at once when
// they are one job; several are shown first.
func (w *window) consider(files []string) {
	if len(files) == 0 {
		return
	}
	r := scheduler.AddRequest{Files: files}
	w.goes(func() {
		p, err := w.o.Farm.Preview(w.ctx, r)
		if w.ctx.Err() != nil {
			return
		}
		w.do(func() {
			if err != nil || len(p.Jobs) < askFrom {
				w.addAs(r, nil) // what is wrong is said there
				return
			}
			w.askAdd(r, p)
		})
	})
}

// askAdd shows what files would become, and adds all of them, or one.
func (w *window) askAdd(r scheduler.AddRequest, p scheduler.Preview) {
	if w.quitting != nil {
		return // another question is open
	}
	ways := []way{{handAll, "Add all " + number(len(p.Jobs), "job", "jobs"), ""}}
	if one := oneOf(r, p); one != nil {
		ways = append(ways, way{
			wayOne, "Run one now",
			"The first of them goes to the head of the queue; the others are not added.",
		})
	}
	ways = append(ways, way{wayStay, "Add none", ""})
	w.askWith("Add "+number(len(p.Jobs), "job", "jobs")+"?", w.previewLines(p, time.Now()), ways, func(key string) {
		switch key {
		case handAll:
			w.addAs(r, nil)
		case wayOne:
			w.addAs(*oneOf(r, p), func(added scheduler.Added) {
				if len(added.Jobs) > 0 {
					w.toHead([]job.ID{added.Jobs[0].ID})
				}
			})
		}
	})
}

// wayOne is the answer to run one job now.
const wayOne = "one"

// oneOf is the request for the first job alone, nil where that cannot be told from
// the others: several pictures for one workflow are one file of it.
func oneOf(r scheduler.AddRequest, p scheduler.Preview) *scheduler.AddRequest {
	first := p.Jobs[0].File
	jobs := map[string]int{}
	for _, j := range p.Jobs {
		jobs[j.File]++
	}
	if jobs[first] > 1 || p.Jobs[0].Given > 0 {
		return nil
	}
	one := r
	one.Files = []string{first}
	return &one
}

// previewLines say what is in the files, how many jobs of which kind, until when
// they are likely to take, and what is no job.
func (w *window) previewLines(p scheduler.Preview, now time.Time) []fyne.CanvasObject {
	var lines []fyne.CanvasObject
	say := func(s string) { lines = append(lines, widgets.NewParagraph(widgets.Plain(s))) }
	mute := func(s string) { lines = append(lines, widgets.NewParagraph(widgets.Muted(s))) }
	for _, k := range kindsOf(p.Jobs, w.o.Words) {
		say(k)
	}
	for _, s := range untilWhen(p.Jobs, w.o.Words, now) {
		mute(s)
	}
	for i, r := range p.Refused {
		if i == kindsShown {
			mute("and " + number(len(p.Refused)-i, "more file", "more files") + " that cannot be added")
			break
		}
		what, _ := w.o.Words.Error(r.Err)
		mute("Not added: " + text.Plain(filepath.Base(r.File)) + ". " + what)
	}
	for _, warned := range p.Warned {
		if warned.Loud() {
			mute(text.Plain(filepath.Base(warned.File)) + ": " + w.o.Words.Say(warned.Say) + ".")
		}
	}
	return lines
}

// kindsOf counts jobs by kind, the most frequent first.
func kindsOf(jobs []scheduler.PreviewJob, words text.Language) []string {
	type kind struct {
		name string
		n    int
	}
	var kinds []kind
	given := 0
	for _, j := range jobs {
		name := "not known yet: no server has told what its nodes are"
		if j.Type.Key != "" {
			name = words.Type(j.Type)
		}
		i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
		if i < 0 {
			kinds = append(kinds, kind{name: name})
			i = len(kinds) - 1
		}
		kinds[i].n++
		given += j.Given
	}
	slices.SortStableFunc(kinds, func(a, b kind) int { return b.n - a.n })
	var says []string
	for i, k := range kinds {
		if i == kindsShown {
			says = append(says, "and "+number(len(kinds)-i, "more kind", "more kinds"))
			break
		}
		says = append(says, fmt.Sprintf("%d × %s", k.n, k.name))
	}
	if given > 0 {
		says = append(says, number(given, "dropped file is an input of them", "dropped files are inputs of them"))
	}
	return says
}

// morning is the hour until which a night's work is counted.
const morning = 7

// untilWhen says when jobs are likely to be done, and how many of them until the
// morning when that is before all are; or that it is not known.
func untilWhen(jobs []scheduler.PreviewJob, words text.Language, now time.Time) []string {
	dawn := time.Date(now.Year(), now.Month(), now.Day(), morning, 0, 0, 0, now.Location())
	if !dawn.After(now) {
		dawn = dawn.AddDate(0, 0, 1)
	}
	var last scheduler.TimeRange
	known, early := 0, 0
	for _, j := range jobs {
		end, ok := j.End.Get()
		if !ok {
			continue
		}
		known++
		if end.From.After(last.From) {
			last.From = end.From
		}
		if end.To.After(last.To) {
			last.To = end.To
		}
		if end.To.Before(dawn) {
			early++
		}
	}
	if known == 0 {
		return []string{"When they will be done is not known: nothing is known of this kind, or of what is before it."}
	}
	says := []string{"Done about " + words.Clock(last.From) + " to " + words.Clock(last.To) +
		", behind what waits now (estimate)."}
	if early < known && early > 0 {
		says = append(says, fmt.Sprintf("About %d of %d by %s.", early, len(jobs), words.Clock(dawn)))
	}
	if known < len(jobs) {
		says = append(says, strings.TrimSpace(number(len(jobs)-known, "of them is", "of them are")+
			" not counted: nothing is known of it."))
	}
	return says
}

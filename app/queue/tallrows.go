package queue

import (
	"strconv"

	"fyne.io/fyne/v2"

	"reckoner/app/widgets"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// tallRows are the sections of running and needs-you jobs: few, and a plain box.
type tallRows struct {
	page             *Page
	column           *widgets.Column
	scroll           *widgets.Scroller
	running, needs   *widgets.LineRow // headings
	moreRun, moreYou *widgets.LineRow
	rows             []*widgets.TallRow
	shape            [3]int // rows running, questions, needs-you jobs
}

func newTallRows(p *Page) *tallRows {
	t := &tallRows{
		page: p, column: widgets.NewColumn(0), running: widgets.NewLineRow(), needs: widgets.NewLineRow(),
		moreRun: widgets.NewLineRow(), moreYou: widgets.NewLineRow(), shape: [3]int{-1},
	}
	t.scroll = widgets.NewScroller(t.column)
	return t
}

// apply shows a snapshot's running and needs-you jobs.
func (t *tallRows) apply(s *scheduler.Snapshot) {
	running, moreRun := tall(s.Running)
	needs, moreYou := tall(s.NeedsYou)
	shape := [3]int{len(running), len(s.Questions), len(needs)}
	for n := shape[0] + shape[1] + shape[2]; len(t.rows) < n; {
		t.rows = append(t.rows, widgets.NewTallRow())
	}
	t.running.Set(widgets.LineState{Heading: "RUNNING"})
	t.needs.Set(widgets.LineState{Heading: "NEEDS YOU", Count: strconv.Itoa(len(s.NeedsYou) + len(s.Questions))})
	t.moreRun.Set(widgets.LineState{Heading: more(moreRun)})
	t.moreYou.Set(widgets.LineState{Heading: more(moreYou)})
	row := 0
	for i := range running {
		t.fill(t.rows[row], &running[i], RunningRow(s, &running[i], t.page.words))
		row++
	}
	for _, q := range s.Questions {
		r := t.rows[row]
		r.OnTapped = nil
		r.OnAction = func(key string) { t.page.act(q.ID, key) }
		r.SetPicture(nil)
		r.Set(QuestionRow(q, t.page.words))
		row++
	}
	for i := range needs {
		t.fill(t.rows[row], &needs[i], NeedsYouRow(&needs[i], t.page.words))
		row++
	}
	if shape != t.shape || t.moreRun.Visible() != (moreRun > 0) || t.moreYou.Visible() != (moreYou > 0) {
		t.shape = shape
		t.arrange(moreRun, moreYou)
	}
}

func (t *tallRows) fill(r *widgets.TallRow, v *scheduler.JobView, state widgets.TallState) {
	id := job.ID(v.Job.ID)
	state.Selected = id == t.page.selectedID()
	r.OnTapped = func() { t.page.Select(id) }
	r.OnAction = func(key string) { t.page.act(id, key) }
	r.SetPicture(t.page.pictures.Get(picture(v), 104, 80))
	r.Set(state)
}

// arrange puts the rows under their headings.
func (t *tallRows) arrange(moreRun, moreYou int) {
	var objects []fyne.CanvasObject
	add := func(heading *widgets.LineRow, rows []*widgets.TallRow, rest *widgets.LineRow, more int) {
		if len(rows) == 0 {
			return
		}
		objects = append(objects, heading)
		for _, r := range rows {
			objects = append(objects, r)
		}
		if more > 0 {
			rest.Show()
			objects = append(objects, rest)
			return
		}
		rest.Hide()
	}
	add(t.running, t.rows[:t.shape[0]], t.moreRun, moreRun)
	add(t.needs, t.rows[t.shape[0]:t.shape[0]+t.shape[1]+t.shape[2]], t.moreYou, moreYou)
	t.column.SetObjects(objects...)
	t.page.layout.dirty = true
	t.scroll.Relayout()
}

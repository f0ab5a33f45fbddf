package queue

import (
	"strconv"

	"fyne.io/fyne/v2"

	"reckoner/app/widgets"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// tallRows are the questions, and the sections of running and needs-you jobs: few,
// and a plain box.
type tallRows struct {
	page             *Page
	column           *widgets.Column
	scroll           *widgets.Scroller
	running, needs   *widgets.LineRow // headings
	moreRun, moreYou *widgets.LineRow
	rows             []*widgets.TallRow
	since            *widgets.Notice // the report of an absence, on top
	again            bool            // it came, went or changed its height
	asks             []*widgets.Ask  // one a question, below it
	shape            [3]int          // questions, rows running, needs-you jobs
}

func newTallRows(p *Page) *tallRows {
	t := &tallRows{
		page: p, column: widgets.NewColumn(0), running: widgets.NewLineRow(), needs: widgets.NewLineRow(),
		moreRun: widgets.NewLineRow(), moreYou: widgets.NewLineRow(), shape: [3]int{-1},
	}
	t.since = widgets.NewNotice()
	t.since.OnAction = p.actSince
	t.scroll = widgets.NewScroller(t.column)
	return t
}

// apply shows a snapshot's running and needs-you jobs.
func (t *tallRows) apply(s *scheduler.Snapshot) {
	running, moreRun := tall(s.Running)
	needs, moreYou := tall(s.NeedsYou)
	shape := [3]int{len(s.Questions), len(running), len(needs)}
	for n := len(running) + len(needs); len(t.rows) < n; {
		t.rows = append(t.rows, widgets.NewTallRow())
	}
	taller := t.applyQuestions(s.Questions)
	t.running.Set(widgets.LineState{Heading: "RUNNING"})
	t.needs.Set(widgets.LineState{Heading: "NEEDS YOU", Count: strconv.Itoa(len(s.NeedsYou))})
	t.moreRun.Set(widgets.LineState{Heading: more(moreRun)})
	t.moreYou.Set(widgets.LineState{Heading: more(moreYou)})
	row := 0
	for i := range running {
		t.fill(t.rows[row], &running[i], RunningRow(s, &running[i], t.page.words))
		row++
	}
	for i := range needs {
		t.fill(t.rows[row], &needs[i], NeedsYouRow(&needs[i], t.page.words))
		row++
	}
	longer := t.moreRun.Visible() != (moreRun > 0) || t.moreYou.Visible() != (moreYou > 0)
	if t.again || taller || longer || shape != t.shape {
		t.shape = shape
		t.arrange(moreRun, moreYou)
	}
}

// applyQuestions shows the questions and tells whether they take another height.
func (t *tallRows) applyQuestions(questions []job.Question) (taller bool) {
	for i, q := range questions {
		if i == len(t.asks) {
			t.asks = append(t.asks, widgets.NewAsk())
		}
		t.asks[i].OnAnswer = func(key string) { t.page.act(q.ID, key) }
		taller = t.asks[i].Set(QuestionBar(q, t.page.words)) || taller
	}
	return taller
}

func (t *tallRows) fill(r *widgets.TallRow, v *scheduler.JobView, state widgets.TallState) {
	id := v.Job.ID
	state.Selected = id == t.page.selectedID()
	r.OnTapped = func() { t.page.Select(id) }
	r.OnAction = func(key string) { t.page.act(id, key) }
	r.SetPicture(thumb(t.page.pictures, picture(v), 104, 80))
	r.Set(state)
}

// arrange puts the questions on top and the rows under their headings.
func (t *tallRows) arrange(moreRun, moreYou int) {
	t.again = false
	var objects []fyne.CanvasObject
	if t.page.since != nil {
		objects = append(objects, t.since)
	}
	for _, a := range t.asks[:t.shape[0]] {
		objects = append(objects, a)
	}
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
	add(t.running, t.rows[:t.shape[1]], t.moreRun, moreRun)
	add(t.needs, t.rows[t.shape[1]:t.shape[1]+t.shape[2]], t.moreYou, moreYou)
	t.column.SetObjects(objects...)
	t.page.layout.dirty = true
	t.scroll.Relayout()
}

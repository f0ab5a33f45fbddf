package history

import (
	"math"
	"slices"
	"time"

	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler/job"
)

const (
	// leastPlotted is how many runs make a picture.
	leastPlotted = 3
	// usualOf is how many of the newest clean runs the usual time is the middle of.
	usualOf = 40
	// leastUsual is how many of them are needed for it.
	leastUsual = 3
)

// Plot makes the chart of runs of one kind on one machine: how long they took over
// time, and the usual time as it was after each of them: the middle of the newest
// runs with the GPU to itself. It is false when there are too few to show.
func Plot(rows []job.HistoryRow, w text.Language) (widgets.ChartState, bool) {
	var runs []job.HistoryRow
	for i := range rows {
		if rows[i].Run.Outcome == job.RunSucceeded && rows[i].Run.Seconds.Known() && rows[i].Run.Start != job.Cached &&
			!rows[i].Run.Aside() {
			runs = append(runs, rows[i])
		}
	}
	if len(runs) < leastPlotted {
		return widgets.ChartState{}, false
	}
	slices.SortStableFunc(runs, func(a, b job.HistoryRow) int { return a.Run.Ended.Compare(b.Run.Ended) })
	from, to := runs[0].Run.Ended, runs[len(runs)-1].Run.Ended
	span := max(to.Sub(from).Seconds(), 1)
	var c widgets.ChartState
	var clean []float64
	longest := 0.0
	for _, h := range runs {
		seconds, _ := h.Run.Seconds.Get()
		p := widgets.ChartPoint{At: h.Run.Ended.Sub(from).Seconds() / span, Seconds: seconds, Kind: dot(h.Run.Judged())}
		c.Points = append(c.Points, p)
		longest = max(longest, seconds)
		if h.Run.Judged() != job.Clean {
			continue
		}
		clean = append(clean, seconds)
		if len(clean) >= leastUsual {
			mid := middle(clean[max(0, len(clean)-usualOf):])
			c.Usual = append(c.Usual, widgets.ChartPoint{At: p.At, Seconds: mid})
		}
	}
	step := niceStep(longest)
	c.Top = step * math.Ceil(longest*1.05/step)
	for at := 0.0; at <= c.Top+step/2; at += step {
		label := "0"
		if at > 0 {
			label = w.Usual(at)
		}
		c.Heights = append(c.Heights, widgets.ChartLabel{At: at, Text: label})
	}
	c.Moments = []widgets.ChartLabel{{At: 0, Text: moment(from, span)}, {At: 1, Text: moment(to, span)}}
	return c, true
}

func dot(l job.Label) widgets.DotKind {
	switch l {
	case job.Clean:
		return widgets.DotClean
	case job.Shared:
		return widgets.DotShared
	default:
		return widgets.DotUnknown
	}
}

func middle(of []float64) float64 {
	s := slices.Sorted(slices.Values(of))
	n := len(s)
	if n%2 == 1 {
		return s[n/2]
	}
	return (s[n/2-1] + s[n/2]) / 2
}

// niceStep gives a distance between lines that people can count in, so that there
// are two to five of them.
func niceStep(longest float64) float64 {
	for _, step := range [...]float64{1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 36000} {
		if longest/step <= 4 {
			return step
		}
	}
	return math.Ceil(longest / 4)
}

// moment is a day, or a day and a time where the whole is short.
func moment(t time.Time, span float64) string {
	if span < 48*3600 {
		return t.Local().Format("2 Jan, 15:04")
	}
	return t.Local().Format("2 Jan 2006")
}

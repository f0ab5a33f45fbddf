package estimate

import "reckoner/scheduler/job"

// Fit says what the runs of one job type say about the next on a GPU, with
// nothing else known. The order in which they are given does not matter.
func Fit(runs []Run, gpu string) job.Forecast {
	l := newLedger()
	for _, r := range inOrder(runs) {
		if r.GPU == gpu {
			l.tell(r, false)
		}
	}
	return l.estimate(&experience{}).Forecast()
}

// Judge replays the log of a baseline: its runs, in the order in which they
// ended whatever order they are given in, and the user's words among them. It
// gives the baseline and every line of its log. The same log gives the same
// answer.
func Judge(runs []Run, answers []Answer) (Baseline, []Revision) {
	l := newLedger()
	next := 0
	for _, r := range inOrder(runs) {
		for ; next < len(answers) && answers[next].At.Before(r.At); next++ {
			l.answer(answers[next])
		}
		l.tell(r, false)
	}
	for _, a := range answers[next:] {
		l.answer(a)
	}
	return l.current, l.revisions
}

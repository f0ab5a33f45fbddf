package core_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// inTurn adds jobs of two kinds to a paused queue of one server, lets it go on,
// and gives the order in which they ran, by their names.
func inTurn(t *testing.T, names string, prepare func(*world, map[string]job.ID)) (order string, w *world) {
	t.Helper()
	w = newWorld(t, "gpu-1")
	w.loading()
	w.step(core.Pause{On: true})
	ids, kinds := map[string]job.ID{}, map[byte]func(*job.Job){
		's': models("sdxl", "sdxl.safetensors"), 'w': models("wan", "wan.safetensors"),
	}
	for name := range strings.FieldsSeq(names) {
		ids[name] = w.add(name, kinds[name[0]])
	}
	if prepare != nil {
		prepare(w, ids)
	}
	w.step(core.Pause{})
	for name, id := range ids {
		w.runUntil(name+" ends", 3*time.Hour, w.ended(id))
	}
	all := make([]job.Run, 0, len(ids))
	for _, r := range w.disk.runs {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b job.Run) int { return a.Started.Compare(b.Started) })
	var ran []string
	for _, r := range all {
		ran = append(ran, w.job(r.Job).Name)
	}
	return strings.Join(ran, " "), w
}

func TestJobsThatShareModelsAreKeptTogether(t *testing.T) {
	order, w := inTurn(t, "s1 w1 s2 w2 s3 w3", nil)
	if order != "s1 s2 s3 w1 w2 w3" {
		t.Errorf("%s\n%s", order, w.story())
	}
	told := 0
	for _, r := range w.disk.runs {
		for _, h := range r.Story {
			if h.Code == job.StoryTogether {
				told++
			}
		}
	}
	if told != 2 {
		t.Errorf("said of %d runs, want s2 and s3", told)
	}
}

func TestNobodyLosesMoreByItThanIsSet(t *testing.T) {
	// Given so many of one kind that the first of the other would wait for half an hour
	var names []string
	for i := range 30 {
		names = append(names, fmt.Sprint("s", i))
		if i == 0 {
			names = append(names, "w")
		}
	}
	order, w := inTurn(t, strings.Join(names, " "), nil)
	before, _, _ := strings.Cut(order, " w")
	if n := len(strings.Fields(before)); n < 3 || n > 1+10 {
		t.Errorf("%d ran before it: %s\n%s", n, order, w.story())
	}
}

func TestWhatTheUserOrderedIsKept(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(*world, map[string]job.ID)
		want    string
	}{
		"one that was moved is not passed": {func(w *world, ids map[string]job.ID) {
			w.step(core.Move{Job: ids["w1"], Before: ids["s1"]})
			w.step(core.Move{Job: ids["w1"], Before: ids["s2"]})
		}, "s1 w1 w2 s2"},
		"one that was moved passes nobody": {func(w *world, ids map[string]job.ID) {
			w.step(core.Move{Job: ids["s2"]})
		}, "s1 w1 w2 s2"},
		"a priority is kept": {func(w *world, ids map[string]job.ID) {
			w.step(core.Prioritize{Job: ids["w1"], Priority: job.PriorityHigh})
			w.step(core.Prioritize{Job: ids["s1"], Priority: job.PriorityHigh})
		}, "w1 s1 s2 w2"},
		"strictly in turn": {func(w *world, _ map[string]job.ID) {
			w.step(core.Configure{Settings: job.Settings{Paused: true, Together: -1}})
		}, "s1 w1 s2 w2"},
	} {
		t.Run(name, func(t *testing.T) {
			if order, w := inTurn(t, "s1 w1 s2 w2", c.prepare); order != c.want {
				t.Errorf("%s, want %s\n%s", order, c.want, w.story())
			}
		})
	}
}

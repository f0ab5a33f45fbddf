package core_test

import (
	"slices"
	"testing"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// names are the waiting jobs in their order.
func (w *world) names() []string {
	var names []string
	for _, v := range w.s.Snapshot(w.now).Waiting {
		names = append(names, v.Job.Name)
	}
	return names
}

func TestPrioritiesOrderTheQueue(t *testing.T) {
	// Given a paused queue of four
	w := newWorld(t, "gpu-1")
	w.run(2 * time.Second)
	w.step(core.Pause{On: true})
	ids := map[string]job.ID{}
	for _, name := range []string{"a", "b", "c", "d"} {
		ids[name] = w.add(name)
	}
	in := func(what string, want ...string) {
		t.Helper()
		w.run(time.Second)
		if got := w.names(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	// when one becomes urgent, and one waits for all others
	w.step(core.Prioritize{Job: ids["c"], Priority: job.PriorityHigh})
	w.step(core.Prioritize{Job: ids["a"], Priority: job.PriorityLow})
	in("high, then low", "c", "b", "d", "a")
	// then what is added later goes between them,
	ids["e"] = w.add("e")
	in("one more", "c", "b", "d", "e", "a")
	// the second urgent one behind the first,
	w.step(core.Prioritize{Job: ids["e"], Priority: job.PriorityHigh})
	in("two urgent ones", "c", "e", "b", "d", "a")
	// last means last of its own,
	w.step(core.Move{Job: ids["c"]})
	in("last of the urgent ones", "e", "c", "b", "d", "a")
	// and a job that is put before another is what that one is.
	w.step(core.Move{Job: ids["b"], Before: ids["a"]})
	in("before a low one", "e", "c", "d", "b", "a")
	ids["f"] = w.add("f")
	in("one more", "e", "c", "d", "f", "b", "a")
	// Said twice it is done once; said of nobody it is nothing.
	w.step(core.Prioritize{Job: ids["e"], Priority: job.PriorityHigh})
	w.step(core.Prioritize{Job: "nobody", Priority: job.PriorityHigh})
	in("twice", "e", "c", "d", "f", "b", "a")
	// All of it is on disk.
	w.crash()
	w.run(10 * time.Second)
	w.add("g")
	in("after a restart", "e", "c", "d", "f", "g", "b", "a")
}

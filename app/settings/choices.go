package settings

import (
	"fmt"
	"slices"
	"time"

	"reckoner/assets/text"
	"reckoner/scheduler/job"
)

// choice is an option of a list, with what it stands for.
type choice[T comparable] struct {
	label string
	value T
}

func labels[T comparable](all []choice[T]) []string {
	names := make([]string, 0, len(all))
	for _, c := range all {
		names = append(names, c.label)
	}
	return names
}

// with gives the choices, and one more for a value that is none of them: it was set
// elsewhere, and must not be changed by being shown.
func with[T comparable](all []choice[T], value T, label func(T) string) (choices []choice[T], at int) {
	at = slices.IndexFunc(all, func(c choice[T]) bool { return c.value == value })
	if at >= 0 {
		return all, at
	}
	return append(slices.Clip(all), choice[T]{label(value), value}), len(all)
}

// spans are durations to choose from, the first for 0.
func spans(w text.Language, zero string, minutes ...int) []choice[time.Duration] {
	all := []choice[time.Duration]{{zero, 0}}
	for _, m := range minutes {
		d := time.Duration(m) * time.Minute
		all = append(all, choice[time.Duration]{w.Duration(d.Seconds()), d})
	}
	return all
}

// waits are how long a job may wait on its server.
func waits(w text.Language) []choice[time.Duration] {
	all := spans(w, w.Duration(2*60*60), 30, 60, 4*60, 8*60)
	return append(all, choice[time.Duration]{"never", -1})
}

// togethers are how much time a job may lose to others whose models are loaded.
func togethers(w text.Language) []choice[time.Duration] {
	all := spans(w, w.Duration(10*60), 5, 30, 60, 4*60)
	return append(all, choice[time.Duration]{"nothing: strictly in turn", -1})
}

// limits are time limits to choose from.
func limits(w text.Language) []choice[job.Limit] {
	all := []choice[job.Limit]{{"what past runs say", job.Limit{}}}
	for _, d := range spans(w, "", 30, 60, 2*60, 4*60, 8*60)[1:] {
		all = append(all, choice[job.Limit]{d.label, job.Limit{Kind: job.LimitSet, For: d.value}})
	}
	return append(all, choice[job.Limit]{"none", job.Limit{Kind: job.LimitOff}})
}

// quarter is how finely quiet hours are set, in minutes.
const quarter = 15

// hours are the times of a day.
func hours() []choice[int] {
	var all []choice[int]
	for m := 0; m < 24*60; m += quarter {
		all = append(all, choice[int]{hour(m), m})
	}
	return all
}

func hour(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }

// topics are what the desktop can be told of.
func topics() []choice[job.Topic] {
	return []choice[job.Topic]{
		{"a job is done", job.TopicDone},
		{"a job failed, or needs you", job.TopicTrouble},
		{"a time limit passed, and what the server then did", job.TopicLimit},
		{"a question, or nothing can run any more", job.TopicStuck},
	}
}

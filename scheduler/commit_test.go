package scheduler

import (
	"testing"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// Steps that are written together lose nothing of what each of them changed.
func TestWritesThatAreMergedLoseNothing(t *testing.T) {
	write := func(c job.Changes) commit { return commit{effects: core.Effects{Write: c}} }
	settings := job.Settings{}
	for name, c := range map[string]job.Changes{
		"jobs":       {Jobs: []*job.Job{{ID: "j"}}},
		"runs":       {Runs: []*job.Run{{ID: "r"}}},
		"machines":   {Machines: []job.Machine{{ID: "m"}}},
		"servers":    {Servers: []job.Server{{ID: "s"}}},
		"removed":    {RemoveMachines: []job.ID{"m"}},
		"settings":   {Settings: &settings},
		"notes":      {Notes: []*job.Note{{ID: "n"}}},
		"baselines":  {Baselines: []job.BaselineLog{{TypeKey: "t"}}},
		"idle power": {IdlePower: []job.IdlePower{{GPU: "g"}}},
	} {
		if out, _ := merge([]commit{write(job.Changes{Lazy: true}), write(c)}); isEmpty(out) || out.Lazy {
			t.Errorf("%s are lost: %+v", name, out)
		}
	}
	if out, _ := merge([]commit{write(job.Changes{Lazy: true})}); !isEmpty(out) {
		t.Errorf("nothing became %+v", out)
	}
}

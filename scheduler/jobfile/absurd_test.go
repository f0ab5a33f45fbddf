package jobfile

import (
	"testing"

	"reckoner/scheduler/job"
)

func TestASlipOfTheHandIsWarnedOfWithItsSize(t *testing.T) {
	for name, c := range map[string]struct {
		cost job.Cost
		want bool
	}{
		"1280 frames":         {job.Cost{Width: 720, Height: 480, Frames: 1280}, true},
		"batch 512":           {job.Cost{Width: 512, Height: 512, Batch: 512}, true},
		"10 s of video":       {job.Cost{Width: 1280, Height: 720, Frames: 161, Steps: 20}, false},
		"a picture":           {job.Cost{Width: 1024, Height: 1024, Batch: 4, Steps: 30}, false},
		"50 frames of 8K":     {job.Cost{Width: 7680, Height: 4320, Frames: 81}, true},
		"nothing is known":    {job.Cost{}, false},
		"a thousand steps":    {job.Cost{Width: 512, Height: 512, Steps: 1000}, true},
		"a strip, many boxes": {job.Cost{Width: 512, Height: 512, Batch: 63}, false},
	} {
		said, absurd := absurdCost(c.cost)
		if absurd != c.want || absurd && (said.Args.Value == "" || said.Args.Of < 1) {
			t.Errorf("%s: %v, %+v", name, absurd, said)
		}
	}
}

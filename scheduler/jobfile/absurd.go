package jobfile

import (
	"fmt"

	"reckoner/scheduler/job"
)

// What is more than people mean, as a rule: longer videos, larger pictures and
// larger batches than models and cards are made for.
const (
	manyFrames = 1000
	manyBatch  = 64
	manySteps  = 500
	manyPixels = 2000 // millions, of all pictures together
)

// absurdCost warns of a job that is likely a slip: 1280 frames, a batch of 512.
func absurdCost(c job.Cost) (job.Say, bool) {
	pictures := max(c.Frames, 1) * max(c.Batch, 1)
	millions := int(work(c) / 1e6)
	if c.Frames < manyFrames && c.Batch < manyBatch && c.Steps < manySteps && millions < manyPixels {
		return job.Say{}, false
	}
	size := fmt.Sprintf("%d x %d", c.Width, c.Height)
	args := job.Args{Value: size, Of: pictures, Count: millions, Seconds: float64(c.Steps)}
	return job.Say{Code: job.WarnCost, Args: args}, true
}

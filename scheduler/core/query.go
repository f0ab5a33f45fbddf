package core

import "reckoner/scheduler/job"

// UnfinishedBatches gives all known jobs of batches of which a job has not ended,
// in no order.
func (s *State) UnfinishedBatches() []*job.Job {
	unfinished := map[job.ID]bool{}
	for _, j := range s.jobs {
		if j.State != job.JobEnded {
			unfinished[j.Batch] = true
		}
	}
	var jobs []*job.Job
	for _, j := range s.jobs {
		if unfinished[j.Batch] {
			jobs = append(jobs, j)
		}
	}
	return jobs
}

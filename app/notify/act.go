package notify

import "reckoner/scheduler/job"

// Choice is something that a notification offers beside being read.
type Choice struct {
	Label string
	// Answer is the answer to Question that it gives.
	Question job.ID
	Answer   job.Answer
}

// Chosen is what somebody chose on a notification: one of its choices, or with the
// zero Choice the notification itself, to see the Job that it is about.
type Chosen struct {
	Job job.ID // "" when it is about several or none
	Choice
}

// about fills in what a digest's notification is about: the only job of it, and the
// answers to its only question.
func (n *Note) about(events []job.Event, label func(job.Answer) string) {
	var asked *job.Question
	jobs, questions := map[job.ID]bool{}, 0
	for _, e := range events {
		if e.Job != nil {
			jobs[e.Job.ID] = true
			n.Job = e.Job.ID
		}
		if e.Question != nil {
			asked = e.Question
			questions++
		}
	}
	if len(jobs) != 1 {
		n.Job = ""
	}
	if questions != 1 {
		return
	}
	for _, a := range asked.Answers {
		n.Choices = append(n.Choices, Choice{Label: label(a), Question: asked.ID, Answer: a})
	}
}

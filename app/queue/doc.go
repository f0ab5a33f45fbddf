// Package queue is the Queue page: the machines' cards, the list of jobs in its
// sections, and the details of the selected job.
//
// It owns what a snapshot looks like on that page. The first half, the models,
// are pure functions from a snapshot to what the widgets show; the second half
// puts them into the widgets. It sends commands through a callback and must
// never wait for anything: it runs on the goroutine of the user interface.
package queue

// Package core holds Reckoner's rules about jobs, runs and render servers: one
// pure, deterministic state machine. It is told events and the instant at which
// they happen, and answers with records to write, actions to carry out and news
// to tell. It decides when to look at a server, when a job may go and where,
// when a run is too long, and when a run is known to have ended.
//
// It never does I/O, never reads a clock, never draws a random number and knows
// no goroutine: the engine in package scheduler does all that. So each rule of
// the design is tested in virtual time, with crashes and lost replies anywhere.
//
// Where a line belongs: events in and effects out are events.go and effects.go;
// which job goes where is dispatch.go, why it waits holds.go and foreign.go; a
// run's way is sending.go, tracking.go, limit.go, stopping.go and ending.go;
// claims about causes are notes.go and their tests probing.go; what people see of
// it all is view.go.
package core

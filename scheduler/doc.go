// Package scheduler is the engine: it owns the goroutine of the core, carries
// out what the core decides through ports (render servers, GPU meters, the
// store, fetching), turns what comes back into events, and publishes immutable
// snapshots.
//
// It decides nothing about jobs and runs: every rule is in scheduler/core. It
// never imports a protocol, a database or a window; those come in as the ports
// declared in ports.go.
package scheduler

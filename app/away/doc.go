// Package away remembers what happened while nobody looked at the window, and
// makes a report of it: what is done, what failed by cause, which defaults were
// taken, and what each machine did with the time.
//
// It owns when somebody counts as away. It must never touch the window: events
// and snapshots come in from goroutines, the report goes out to whoever shows
// it. What it keeps is bounded, and is gone once somebody looked.
package away

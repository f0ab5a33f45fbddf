// Package widgets holds the parts that Reckoner's window is built of: lines of
// text, bars that carry their caption, gauges, machine cards and job rows.
//
// It owns how things are drawn, and the one visual language of the window:
// striped is an estimate, solid was measured. It shows what it is given, words
// and numbers alike, and reports what the user did through OnXxx callbacks. It
// must never know a job, a snapshot or the engine.
//
// Everything in it belongs to the goroutine of the user interface.
package widgets

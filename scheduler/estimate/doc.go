// Package estimate says what past runs of a job type say about the next one:
// its baseline, the usual range, and the bar. It is pure: the same runs give
// the same answer, and it never reads a clock.
package estimate

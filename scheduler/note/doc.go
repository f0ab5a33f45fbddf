// Package note holds the rules about claims: what a GPU's readings and the work
// on it add up to, how surely that may be said, which claim about a cause is worth
// a note, what counts as evidence for or against it, and what a test of it showed.
//
// It is pure: no I/O, no clock, no randomness. The records that it fills
// ([job.Note]) are written and shown by others. It never says who is guilty: how
// work is slowed (the mechanism, from gauges) and who may be the cause (the
// contributor, from prompts and processes) are kept apart, and a status changes
// only by [Settle], for a test's result, or [Withdraw], for the user.
//
// The rules and their weights are those of the research on telemetry (signals
// against states, strength of wording) and on estimation (the controlled test).
// The weights are guesses that were held against some fifteen real points and ten
// invented courses, which are in testdata.
package note

// Package evaluate measures the estimator on any log of durations: it lets the
// runs of the log happen one after the other, asks before each what would be
// said of it, and compares. A prediction sees only runs that had ended when the
// job started. Simple rules that other programs use are measured beside it.
//
// It never chooses or tunes anything of the estimator, and its only input is a
// reader.
package evaluate

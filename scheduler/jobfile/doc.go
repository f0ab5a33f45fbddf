// Package jobfile turns files into jobs: it finds the workflow in what the user
// dropped, checks that a render server could run it, and says what the work is
// (its facts and its job type).
//
// What a file is, is told by its content, never by its name. What cannot be read
// exactly is refused with an error that names what the file is, so that nothing
// is half understood and nothing doubtful is queued.
//
// The package is pure: it reads from a reader and returns values. It never opens
// files, never talks to a server, and never changes a digit or the order of what
// is sent to one, except for the repairs that it lists as warnings.
package jobfile

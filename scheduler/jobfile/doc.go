// Package jobfile turns files into jobs: it finds the workflow in what the user
// dropped, checks that a render server could run it, and says what the work is
// (its facts and its job type).
//
// Files are texts (API format, request bodies and other wrappers, the page's own
// format) and the pictures, videos and sounds that carry a workflow. What a file
// is, is told by its content, never by its name. Of media only headers are read.
// A workflow in the page's format becomes a job with a server's node classes, as
// the page itself would make it, or is refused. What cannot be read exactly is
// refused with an error that names what the file is, so that nothing is half
// understood and nothing doubtful is queued.
//
// The package is pure: it reads from a reader and returns values. It never opens
// files, never talks to a server, and never changes a digit or the order of what
// is sent to one, except for the repairs that it lists as warnings.
package jobfile

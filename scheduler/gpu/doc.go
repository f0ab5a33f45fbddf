// Package gpu reads what GPUs say about themselves, and what this computer says
// about itself: telemetry sources into job.Reading, job.Process and
// job.HostReading.
//
// It owns the sources' formats, their spellings of "not available", their
// units, their known false figures and the sentences in which they fail. A
// figure that a source does not give is unknown here, never 0.
//
// It must never conclude: which program is at fault, whether a job is stuck or
// whether a machine is free is decided elsewhere, from readings and from what
// the render servers say. It never imports the engine or a protocol of the
// render servers, never passes text from outside to a shell, and never reads
// anything without a bound in size and time.
package gpu

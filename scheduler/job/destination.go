package job

import (
	"slices"
	"strings"
	"time"
)

// DefaultNames are the names of results while nobody set others: a folder a day,
// one a batch in it, and files as their server calls them.
const DefaultNames = "{date}/{batch}/{file}"

// The placeholders of a template of names. All that is not known stays empty.
const (
	NameOfJob     = "{name}"    // the job's
	NameOfSeed    = "{seed}"    // the first seed that the run was sent with
	NameOfMachine = "{machine}" // where it ran
	NameOfDate    = "{date}"    // when the job was added, where the user is
	NameOfBatch   = "{batch}"   // the batch's, after its first file
	NameOfFile    = "{file}"    // what the server calls the file, without its ending
)

// Destination is where the results of a run go and what they are called there.
type Destination struct {
	Dir string // absolute; nothing goes outside
	// Names is a template of paths below Dir: folders, and last the file without
	// its ending, with "/" between. Empty means as the server calls the files.
	Names string
	// Temp says that what a server keeps as temporary is fetched too when the run
	// also saved something.
	Temp bool

	Date                      time.Time // what the placeholders stand for
	Batch, Job, Machine, Seed string
}

// UnknownPlaceholders gives what looks like a placeholder in a template of names
// and is none: it would stand in the names as it is.
func UnknownPlaceholders(names string) []string {
	known := []string{NameOfJob, NameOfSeed, NameOfMachine, NameOfDate, NameOfBatch, NameOfFile}
	var unknown []string
	for {
		_, after, ok := strings.Cut(names, "{")
		if !ok {
			return unknown
		}
		word, rest, ok := strings.Cut(after, "}")
		if !ok {
			return unknown
		}
		if p := "{" + word + "}"; !slices.Contains(known, p) && !slices.Contains(unknown, p) {
			unknown = append(unknown, p)
		}
		names = rest
	}
}

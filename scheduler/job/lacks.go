package job

// Lacks are what a render server was found not to have of what a job needs, by
// its own list of node classes. The zero value lacks nothing.
type Lacks struct {
	Nodes  []string // classes
	Models []string // files, as the job names them
}

// Any tells whether anything is lacking.
func (l Lacks) Any() bool { return len(l.Nodes)+len(l.Models) > 0 }

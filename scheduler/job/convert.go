package job

// Codes of Error about making a job of a workflow in the page's own format. Each
// names the node in Node and Class.
const (
	ErrUnknownClass  = "unknown_class"  // the server does not have Class; Value is its pack where the file names it
	ErrPageOnly      = "page_only"      // only the page's scripts know what Class does
	ErrShifted       = "values_shifted" // the values do not fit the inputs of Class; Input and Value where it shows
	ErrBadLinks      = "bad_links"      // a link that cannot be followed, from Input
	ErrBadSubgraph   = "bad_subgraph"   // a subgraph or group node that does not fit its definition
	ErrNoCounterpart = "no_counterpart" // Set and Get nodes of the name Value are not one pair
)

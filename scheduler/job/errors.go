package job

import "errors"

// Codes of Error. They are stable: scripts, the store and assets/text use them.
const (
	// Talking to a render server.
	ErrUnreachable    = "unreachable"     // refused, no route, unknown host: nothing was sent
	ErrBusy           = "busy"            // connected, but no answer in time
	ErrOutcomeUnknown = "outcome_unknown" // a submission's reply was lost: it may have been taken
	ErrNotComfy       = "not_comfy"       // an answer that is not ComfyUI's: HTML, a proxy's page
	ErrOrigin         = "origin_refused"  // 403 with an empty body: origin check
	ErrLogin          = "login_needed"    // 401, 403 with a body, a redirect to a login page
	ErrTLS            = "tls"             // certificate not trusted
	ErrKeyring        = "keyring"         // what opens the server could not be read: nothing was sent
	ErrTooLarge       = "too_large"       // 413, or an answer over our bounds
	ErrServerFault    = "server_fault"    // 5xx
	ErrBadReply       = "bad_reply"       // JSON that does not have the shape it must have
	ErrRefused        = "refused"         // the server's validation refused the workflow; Faults say why
	ErrMissingNode    = "missing_node"    // the server lacks node classes: Class, and all of them in Allowed
	ErrMissingModel   = "missing_model"   // the server lacks model files: Value, and all of them in Allowed
	ErrNoSuchFile     = "no_such_file"    // /view answered 404
	ErrShortFile      = "short_file"      // a file ended before its length, Value "empty": it has none
	ErrUnsupported    = "unsupported"     // this server cannot do it
	ErrNotWorking     = "not_working"     // it takes prompts but did not run a tiny one in Seconds

	// How a run failed on the server.
	ErrNodeFailed  = "node_failed"
	ErrOutOfMemory = "out_of_memory"
	ErrGPUFault    = "gpu_fault"           // the GPU's own fault, after which the server's process is of no use
	ErrAccount     = "account_needed"      // a node of a paid service: nobody is logged in
	ErrServerDisk  = "server_disk_full"    // the server's disk has no room left
	ErrInterrupted = "interrupted_outside" // somebody else stopped it
	ErrGivenUp     = "given_up"            // not run: others like it had failed, and nobody said to go on
	ErrWaitedLong  = "waited_long"         // it waited on Server for Seconds, Count times, and was never started
	ErrVanished    = "vanished"            // absent from queue, then from history
	ErrNoOutcome   = "no_outcome"          // the server's record of it does not say how it ended
	ErrPartial     = "partly_refused"      // accepted, but some outputs were dropped

	// Reading job files.
	ErrUIFormat     = "ui_format"       // a workflow in the page's own format
	ErrNotJSON      = "not_json"        // in line Count; Value "not_utf8" for another encoding
	ErrTruncated    = "truncated"       // ends in the middle, in line Count; Value is the format of a picture
	ErrEmptyFile    = "empty_file"      //
	ErrNotWorkflow  = "not_a_workflow"  // JSON, but no workflow; Value says what it looks like
	ErrPicture      = "picture"         // an image or video; Value is the format, Count 1 if it carries a workflow
	ErrA1111        = "a1111"           // another program's parameters
	ErrNoOutputNode = "no_output_node"  //
	ErrNoClass      = "no_class_type"   // Node lacks its class
	ErrCycle        = "cycle"           // Node depends on itself
	ErrDangling     = "dangling_link"   // Node.Input links to node Value, which is not there
	ErrFileTooLarge = "file_too_large"  //
	ErrUnreadable   = "file_unreadable" //
	ErrFolder       = "folder"          //

	// Files that a job reads.
	ErrMissingInput = "missing_input" // File, which Node with title Value reads, is neither here nor on any server
	ErrSameName     = "same_name"     // Count files called File, named in Allowed, differ, and Job reads one of them
	ErrWhichInput   = "which_input"   // Count nodes of Job, named in Allowed, or of several jobs could read File

	// This computer.
	ErrDisk      = "disk"
	ErrNotFound  = "not_found"
	ErrNotValue  = "not_a_value" // Value cannot be given to Node's Input, which is a number, or true or false
	ErrIllegal   = "illegal_transition"
	ErrNewerData = "newer_data" // a data folder written by a newer Reckoner
	ErrDamaged   = "damaged_data"
	ErrNoPicture = "no_picture" // no small picture of File; Value says why

	// Telemetry.
	ErrNoTool      = "no_tool"
	ErrNoDriver    = "no_driver"
	ErrNoGPU       = "no_gpu"
	ErrToolHung    = "tool_hung"
	ErrToolFailed  = "tool_failed"
	ErrNotExporter = "not_an_exporter"
	ErrBadSource   = "bad_source"

	ErrDriverMismatch = "driver_mismatch"  // the driver was updated under a running kernel module: reboot
	ErrGPULost        = "gpu_lost"         // a GPU fell off the bus or does not answer: reboot, look at the hardware
	ErrGPUAsleep      = "gpu_asleep"       // suspended to save power; asking would wake it
	ErrNoPermission   = "no_permission"    // this user or container may not ask the GPU
	ErrHostKey        = "host_key_unknown" // ssh does not know the host's key yet
	ErrHostKeyChanged = "host_key_changed" // ssh knows another key of this host: stop and look
)

// CodeOf gives the code of the first Error in err's chain, or "" when there is
// none.
func CodeOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

// Errorf makes an Error with a code, what it is about, and its cause.
func Errorf(code string, args Args, cause error) *Error {
	return &Error{Say: Say{Code: code, Args: args}, Cause: cause}
}

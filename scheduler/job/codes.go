package job

// Codes of Say that are not errors. assets/text has a sentence for each; the
// arguments that a code uses are named beside it.
const (
	// Captions of bars. Seconds and UpTo are rounded for display by
	// assets/text, never finer than the spread.
	CaptionEstimate = "caption_estimate" // Seconds left (UpTo at most), At done about, Count past runs
	// longer than half of Count runs; those that got this far took up to UpTo seconds more, half of
	// them Seconds (0: not known)
	CaptionPastHalf = "caption_past_half"
	CaptionFew      = "caption_few" // Count (1 or 2) past runs took Seconds (to UpTo) in all
	// Seconds so far: longer than all Count past runs, so no estimate of what is left
	CaptionOver = "caption_over"
	// Seconds so far, against UpTo usually: longer than all Count past runs, and than any normal run
	CaptionAlarm = "caption_alarm"
	// first on this GPU: Count runs on GPU, times the factor between the two, say Seconds to UpTo in
	// all
	CaptionOtherGPU = "caption_other_gpu"
	// first of its kind: the Count nearest kinds say Seconds to UpTo in all; UpTo 0 is unknown
	CaptionSimilar  = "caption_similar"
	CaptionFirst    = "caption_first"    // Seconds so far: first of its kind, so no estimate yet
	CaptionQueued   = "caption_queued"   // on Server, which has not started it; Count prompts before it
	CaptionHanded   = "caption_handed"   // handed over to Server, which has not started it; Count of yours before it
	CaptionFetching = "caption_fetching" // Count of Of files fetched
	CaptionSending  = "caption_sending"  // being sent to Server
	CaptionChecking = "caption_checking" // looking for it on Server, after a restart or a lost reply

	// A run's story (Run.Story), and what happened to a job.
	StoryIntended = "story_intended" // written down before it is sent to Server
	// why it goes there: it is likely to end in Seconds, on Machine in UpTo
	StoryEndsFirst = "story_ends_first"
	StoryFreeFirst = "story_free_first" // Server was free, and nothing is known that speaks for another one
	StoryTogether  = "story_together"   // it went before Count others, since its models were loaded on Server
	StoryOnlyOne   = "story_only_one"   // no other server takes it now
	StorySubmitted = "story_submitted"  // Server took it
	StoryRenamed   = "story_renamed"    // Value, which Node reads, is called Detail on Server
	StoryFound     = "story_found"      // found again on Server after a restart
	StoryStarted   = "story_started"    // started on Server
	StoryLonger    = "story_longer"     // longer than all Count past runs
	// Seconds so far, against UpTo usually over Count runs: something is slowing or holding it
	StoryAlarm       = "story_alarm"
	StoryLimit       = "story_limit"        // your limit of Seconds passed
	StorySilent      = "story_silent"       // first of its kind, and no sign of life for Seconds
	StoryWaited      = "story_waited"       // it waited on Server for Seconds, longer than it may
	StoryHanded      = "story_handed"       // handed over to Server's own queue
	StoryTaking      = "story_taking"       // you take it back from Server's queue
	StoryStartedYet  = "story_started_yet"  // Server has started it meanwhile, so it goes on
	StoryExtended    = "story_extended"     // the default limit was extended to Seconds
	StoryCancelled   = "story_cancelled"    // you cancelled it
	StoryToldToStop  = "story_told_to_stop" // Server was told to stop it
	StoryUnconfirmed = "story_unconfirmed"  // still not confirmed ended after Seconds
	StoryStopped     = "story_stopped"      // known to have ended, Seconds after the stop was wanted
	StorySucceeded   = "story_succeeded"    // the server's last word was success
	StoryFailed      = "story_failed"       // the server's last word was an error
	StoryInterrupted = "story_interrupted"  // the server's last word was interrupted
	StoryLost        = "story_lost"         // absent from Server's queue, then from its history
	StoryLate        = "story_late"         // finished although your limit had passed; the results are kept
	StoryFetched     = "story_fetched"      // Count files fetched
	// a program of others, Value with its id in Count, was seen computing on its GPU
	StoryProgram = "story_program"
	StoryForeign = "story_foreign" // other work was seen: Count prompts on Server
	StoryNoNews  = "story_no_news" // Server was not heard of for Seconds

	// Holds (Hold.Say): what is waited for and what would release it.
	SayUnreachable   = "hold_unreachable"    // Server does not answer; Detail says how
	SayNotProbed     = "hold_not_probed"     // Server has not answered yet
	SayRunOpen       = "hold_run_open"       // Job is still open on Server
	SayStopping      = "hold_stopping"       // Job was told to stop on Server and has not stopped yet
	SayUnconfirmed   = "hold_unconfirmed"    // Job's stop on Server is not confirmed
	SayOutOfUse      = "hold_out_of_use"     // Server is out of use until Job ends there or it restarts
	SayForeign       = "hold_foreign"        // other work on Server: Count prompts now
	SayForeignGPU    = "hold_foreign_gpu"    // other work on the same GPU, on Server: Count prompts now
	SayMachinePaused = "hold_machine_paused" // you paused Machine
	SayQueuePaused   = "hold_queue_paused"   // you paused the queue
	SayStray         = "hold_stray"          // Count prompts of ours are on Server that were given up as lost
	SayBusyUnnamed   = "hold_busy_unnamed"   // GPU of Server was busy for Seconds, and nobody can be named
	SayTripped       = "hold_tripped"        // Count jobs in a row were lost on Machine; it is tried again at At
	SayCutTwice      = "hold_cut_twice"      // two runs of this kind in a row were stopped by their limit on Machine
	SayBatchFailing  = "hold_batch_failing"  // Count jobs added together with it failed alike; Detail says how
	SayNotConverted  = "hold_not_converted"  // no server has told its node classes yet
	SayDiskLow       = "hold_disk_low"       // Bytes free where results go
	SayNoRoom        = "hold_no_room"        // results cannot be kept where they go; Detail says why
	SayUnwritable    = "hold_unwritable"     // Reckoner's records cannot be written; Detail says why
	SayPoisoned      = "hold_poisoned"       // Count GPU faults in a row on Server: restart it; one job tries it at At
	SayServerDisk    = "hold_server_disk"    // Server said that its disk is full; one job tries it at At
	SayNoServer      = "hold_no_server"      // no render server takes this job
	SayMissingNode   = "hold_missing_node"   // Server lacks the node class Class, and Count in all
	SayMissingModel  = "hold_missing_model"  // Server lacks the model file Value, and Count in all
	// a program of others, Value with its id in Count, computes on the GPU of Server
	SayForeignProc = "hold_foreign_process"
	// SayMemoryShort says that jobs of a kind took Bytes of Server's GPU in Count
	// runs, while other programs, most of all Value, hold Percent of OfBytes.
	SayMemoryShort = "hold_memory_short"

	// Why a job goes back to the queue.
	AgainCut    = "again_cut"    // it was stopped by its limit while the GPU was shared; last in the queue, once
	AgainLost   = "again_lost"   // Server restarted while it was there; last in the queue, once
	AgainUnsent = "again_unsent" // Server restarted before it had started it
	AgainMemory = "again_memory" // it ended out of memory on Server; once more after freeing its memory
	AgainElse   = "again_else"   // it ended out of memory on Server; now on a machine with more
	AgainWaited = "again_waited" // it waited on Server for Seconds, which never started it
	AgainTaken  = "again_taken"  // you took it back from Server's queue
	AgainAny    = "again_any"    // other work is on Machine: it may now run on any machine
	AgainDisk   = "again_disk"   // Server's disk was full; once more when there is room

	// Questions.
	// two runs of Value in a row were stopped by their limit on Machine: more of them?
	AskCutTwice     = "ask_cut_twice"
	AskBatchFailing = "ask_batch_failing" // Count jobs of a batch failed alike (Detail): run the rest?
	// no server that Job may go to has Class (a node class) or Value (a model file): look again?
	AskMissing     = "ask_missing"
	AskUnconfirmed = "ask_unconfirmed" // Job was told to stop on Server Seconds ago; the server still lists it
)

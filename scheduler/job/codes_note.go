package job

// Codes of what notes say. None of them names a cause for what was not tested:
// claims are questions, findings are what was seen (rule 8).
const (
	// Claims.
	NoteOtherClient  = "note_other_client"  // is another client slowing Machine?
	NoteOtherProgram = "note_other_program" // is another program slowing Machine?
	NoteThrottled    = "note_throttled"     // is Machine held back by heat or its supply?
	NoteUnexplained  = "note_unexplained"   // what is slowing Machine?

	// Findings and evidence.
	// Server, the Of-th of its machine, took Count prompts in UpTo seconds, one about every Seconds (0: not known)
	NoteSawPrompts    = "note_saw_prompts"
	NoteSawProgram    = "note_saw_program"     // a program, Value with its id in Count, holds Bytes of the GPU's memory
	NoteSawComputing  = "note_saw_computing"   // a program, Value with its id in Count, computes on the GPU
	NoteSawBusyAlone  = "note_saw_busy_alone"  // GPU of Machine was Percent busy while none of ours ran there
	NoteSawThrottle   = "note_saw_throttle"    // Detail are the flags that hold its clocks back
	NoteSawLowPower   = "note_saw_low_power"   // Percent busy at Watts of OfWatts
	NoteSawFull       = "note_saw_memory_full" // Bytes of OfBytes of its memory in use
	NoteSawMechanism  = "note_saw_mechanism"   // Value is the mechanism, Detail the strength
	NoteSawBus        = "note_saw_bus"         // the bus towards the GPU is Percent busy
	NoteSawSlow       = "note_saw_slow"        // a job of ours runs at Percent of its usual speed
	NoteSawNoProgress = "note_saw_no_progress" // a job of ours has not moved for Seconds
	NoteSawIdlePower  = "note_saw_idle_power"  // at rest the GPU draws Watts, as learned
	// NoteBusyAlone says that a GPU is busy, and not with our jobs: a fact.
	NoteBusyAlone = "note_busy_alone"

	NoteSlowShared  = "note_slow_shared"  // Job takes Seconds against UpTo usually, and other work was there
	NoteSlowAlone   = "note_slow_alone"   // Job took Seconds against UpTo usually, and nobody else was seen
	NoteUsualShared = "note_usual_shared" // Job took Seconds, as usual, although other work was there
	NoteUsualAlone  = "note_usual_alone"  // Job took Seconds, as usual, with nobody else there

	// Tests. Seconds is the usual time.
	// stop that client, run one such job, see whether it takes about Seconds
	NoteTestOtherClient = "note_test_other_client"
	NoteTestProgram     = "note_test_program"     // end that program, run one such job, likewise
	NoteTestThrottled   = "note_test_throttled"   // let it cool, run one such job, likewise
	NoteTestUnexplained = "note_test_unexplained" // run one such job while nothing else is there, likewise
	NoteTestWaits       = "note_test_waits"       // waits until nobody else was seen for Seconds
	NoteTestRuns        = "note_test_runs"        // Job runs for the test; up to Seconds counts as usual

	// Results. Seconds is what the run took, UpTo the usual time.
	NoteReturned = "note_returned" // Value: the chance in percent that one slowed to 1.5 times would have passed
	NoteStayed   = "note_stayed"   // Value: the chance in percent that a usual machine fails
	NoteVoid     = "note_void"     // Detail is why, one of the following

	VoidForeign   = "foreign"    // somebody else's work was there meanwhile
	VoidCold      = "cold"       // models had to be loaded
	VoidCached    = "cached"     // the result came from the server's cache
	VoidUnwatched = "unwatched"  // it was not seen all along who else was there
	VoidNotEnded  = "not_ended"  // it did not end well
	VoidNoBound   = "no_bound"   // too little is known of the usual time
	VoidNoJob     = "no_job"     // no job of that kind is there to run
	VoidNotQuiet  = "not_quiet"  // the other work did not end in time
	VoidCancelled = "cancelled"  // you ended the test
	NoteReworded  = "note_again" // why a wording changed: more was seen
)

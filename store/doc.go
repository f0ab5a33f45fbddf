// Package store keeps what must survive: jobs, runs, machines, render servers,
// settings, and the content of dropped files. It owns the data folder.
//
// It never decides anything about jobs and runs, never deletes or overwrites
// what it cannot read, and never talks to anything but the disk.
//
// # The folder
//
//	reckoner.db          the records, a bbolt database, mode 0600
//	blobs/<sha256>       content under its SHA-256 in hexadecimal; on disk before
//	                     a record names it
//	set-aside/           databases that could not be read, with the time
//	lock                 locked by the one engine, with its process id inside
//
// # The database
//
// A time in a key is the nanoseconds since 1970 as 8 bytes, big-endian, so the
// order of keys is the order of time. A value is JSON with its version in "v".
// Words in keys end with a zero byte.
//
//	meta           "schema"                            number of the last migration
//	               "app"                               id of this data folder
//	               "settings"                          job.Settings
//	               "idle_power"                        []job.IdlePower
//	jobs           added id                            job.Job
//	jobs_by_id     id                                  its key in jobs
//	jobs_by_state  state\0 time id                     its key in jobs
//	runs           intended id                         job.Run
//	runs_by_job    job id\0 attempt (8 bytes)          its key in runs
//	runs_by_state  state or outcome\0 time id          its key in runs
//	runs_by_end    ended id                            its key in runs
//	runs_by_type   type key\0 ended id                 its key in runs
//	runs_by_gpu    GPU key\0 ended id                  its key in runs
//	durations      type key\0 GPU key\0 ended id       what an estimate needs
//	machines       time of the first save, id          job.Machine
//	servers        time of the first save, id          job.Server
//	baselines      type key\0 GPU key\0 seq (8 bytes)  job.Revision: a log that only grows
//	notes          opened id                           job.Note
//
// The state of an ended job in jobs_by_state is "ended", or "hidden" when the
// user took it off the list, and its time is that of its end; that of others is
// when they were added. In runs_by_state an ended run stands under its outcome
// with the time of its end. The buckets by end, type and GPU hold ended runs
// only, and durations those that succeeded with a known duration, or were stopped
// after a known time.
package store

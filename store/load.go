package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"reckoner/scheduler/job"
)

const (
	// endedAtStart is how many ended jobs Load gives.
	endedAtStart = 200
	// batchAtStart bounds how many more are looked through for those of batches
	// that have not ended completely.
	batchAtStart = 10_000
)

// Load reads what the engine needs at its start: the jobs that have not ended,
// in queue order, then the newest that have and the others of a batch that has
// not ended completely, newest first; and their runs. A record that cannot be
// read is left in place, logged, and left out.
func (s *Store) Load(ctx context.Context) (job.Kept, error) {
	var kept job.Kept
	err := s.view(ctx, func(tx *bolt.Tx) (err error) {
		kept, err = s.load(tx)
		return err
	})
	if err != nil {
		return job.Kept{}, fmt.Errorf("loading %s: %w", s.dir, err)
	}
	return kept, nil
}

func (s *Store) load(tx *bolt.Tx) (job.Kept, error) {
	var kept job.Kept
	var err error
	if kept.App, err = readApp(tx); err != nil {
		return job.Kept{}, err
	}
	if kept.Settings, err = readSettings(tx); err != nil {
		s.unreadable(bucketMeta, []byte(keySettings), err)
	}
	if kept.IdlePower, err = readIdlePower(tx); err != nil {
		s.unreadable(bucketMeta, []byte(keyIdlePower), err)
	}
	s.loadMachines(tx, &kept)
	s.loadJobs(tx, &kept)
	s.loadRuns(tx, &kept)
	s.loadBaselines(tx, &kept)
	s.loadNotes(tx, &kept)
	return kept, nil
}

func (s *Store) loadMachines(tx *bolt.Tx, kept *job.Kept) {
	c := tx.Bucket([]byte(bucketMachines)).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		m, err := decode[savedMachine](v)
		if err != nil {
			s.unreadable(bucketMachines, k, err)
			continue
		}
		m.Machine.Saved = m.Saved
		kept.Machines = append(kept.Machines, m.Machine)
	}
	c = tx.Bucket([]byte(bucketServers)).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		server, err := decode[job.Server](v)
		if err != nil {
			s.unreadable(bucketServers, k, err)
			continue
		}
		kept.Servers = append(kept.Servers, server)
	}
}

func (s *Store) loadJobs(tx *bolt.Tx, kept *job.Kept) {
	byState, jobs := tx.Bucket([]byte(bucketJobsByState)), tx.Bucket([]byte(bucketJobs))
	read := func(key []byte) {
		j, err := decode[job.Job](jobs.Get(key))
		if err != nil {
			s.unreadable(bucketJobs, key, err)
			return
		}
		kept.Jobs = append(kept.Jobs, j)
	}
	for _, state := range []job.JobState{job.JobWaiting, job.JobRunning, job.JobCollecting} {
		prefix := word(string(state))
		c := byState.Cursor()
		for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
			read(v)
		}
	}
	slices.SortStableFunc(kept.Jobs, func(a, b job.Job) int { return cmp.Compare(a.Place, b.Place) })
	unfinished, since := openBatches(kept.Jobs)
	n, prefix := 0, word(string(job.JobEnded))
	backwards(byState, prefix, nil, func(k, v []byte) bool {
		n++
		if n <= endedAtStart {
			read(v)
			return true
		}
		// A job does not end before its batch was added.
		if n > endedAtStart+batchAtStart || len(unfinished) == 0 || keyTime(k[len(prefix):]).Before(since) {
			return false
		}
		read(v)
		if last := len(kept.Jobs) - 1; !unfinished[kept.Jobs[last].Batch] {
			kept.Jobs = kept.Jobs[:last]
		}
		return true
	})
}

// openBatches gives the batches of jobs that have not ended, and when the oldest
// of these jobs was added.
func openBatches(open []job.Job) (batches map[job.ID]bool, since time.Time) {
	batches = map[job.ID]bool{}
	for _, j := range open {
		if j.Batch == "" {
			continue
		}
		batches[j.Batch] = true
		if since.IsZero() || j.Added.Before(since) {
			since = j.Added
		}
	}
	return batches, since
}

// loadRuns reads the newest run of each job, and every other run that has not
// ended, with its job: nothing may be sent to a server before they have.
func (s *Store) loadRuns(tx *bolt.Tx, kept *job.Kept) {
	haveJob, haveRun := map[job.ID]bool{}, map[job.ID]bool{}
	for _, j := range kept.Jobs {
		haveJob[j.ID] = true
		r, found, err := newestRun(tx, j.ID)
		if err != nil {
			s.unreadable(bucketRuns, []byte(j.ID), err)
			continue
		}
		if found {
			haveRun[r.ID] = true
			kept.Runs = append(kept.Runs, r)
		}
	}
	byState := tx.Bucket([]byte(bucketRunsByState))
	for _, state := range []job.RunState{job.RunIntended, job.RunSubmitted, job.RunStarted} {
		prefix := word(string(state))
		c := byState.Cursor()
		for k, key := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, key = c.Next() {
			r, err := decode[job.Run](tx.Bucket([]byte(bucketRuns)).Get(key))
			if err != nil {
				s.unreadable(bucketRuns, key, err)
				continue
			}
			if haveRun[r.ID] {
				continue
			}
			kept.Runs = append(kept.Runs, r)
			if haveJob[r.Job] {
				continue
			}
			j, found, err := jobByID(tx, r.Job)
			if err != nil {
				s.unreadable(bucketJobs, []byte(r.Job), err)
			}
			if found {
				haveJob[j.ID] = true
				kept.Jobs = append(kept.Jobs, j)
			}
		}
	}
}

// unreadable tells of a record that is left out because it cannot be read.
func (s *Store) unreadable(bucket string, key []byte, err error) {
	s.log.Error("a record cannot be read and is left as it is",
		"bucket", bucket, "key", fmt.Sprintf("%q", key), "err", err)
}

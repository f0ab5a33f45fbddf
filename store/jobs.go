package store

import (
	"bytes"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"reckoner/scheduler/job"
)

// stateHidden stands in jobs_by_state for ended jobs that are off the list.
const stateHidden = "hidden"

// putJob writes a job and its entries.
func putJob(tx *bolt.Tx, j *job.Job) error {
	value, err := encode(j)
	if err != nil {
		return fmt.Errorf("job %s: %w", j.ID, err)
	}
	key := recordKey(j.Added, j.ID)
	jobs := tx.Bucket([]byte(bucketJobs))
	var old []entry
	if oldKey := bytes.Clone(tx.Bucket([]byte(bucketJobsByID)).Get([]byte(j.ID))); oldKey != nil {
		was, err := decode[job.Job](jobs.Get(oldKey))
		if err != nil {
			return fmt.Errorf("the stored record of job %s: %w", j.ID, err)
		}
		old = jobEntries(&was, oldKey)
		if !bytes.Equal(oldKey, key) {
			if err := jobs.Delete(oldKey); err != nil {
				return fmt.Errorf("job %s: %w", j.ID, err)
			}
		}
	}
	if err := jobs.Put(key, value); err != nil {
		return fmt.Errorf("job %s: %w", j.ID, err)
	}
	if err := reindex(tx, old, jobEntries(j, key)); err != nil {
		return fmt.Errorf("entries of job %s: %w", j.ID, err)
	}
	return nil
}

func jobEntries(j *job.Job, key []byte) []entry {
	state, at := string(j.State), j.Added
	if j.State == job.JobEnded {
		at = j.Ended
		if j.Hidden {
			state = stateHidden
		}
	}
	return []entry{
		{bucketJobsByID, []byte(j.ID), key},
		{bucketJobsByState, join(word(state), recordKey(at, j.ID)), key},
	}
}

// jobByID reads a job. Not there is false without an error.
func jobByID(tx *bolt.Tx, id job.ID) (job.Job, bool, error) {
	if id == "" {
		return job.Job{}, false, nil
	}
	key := tx.Bucket([]byte(bucketJobsByID)).Get([]byte(id))
	if key == nil {
		return job.Job{}, false, nil
	}
	j, err := decode[job.Job](tx.Bucket([]byte(bucketJobs)).Get(key))
	if err != nil {
		return job.Job{}, false, fmt.Errorf("the stored record of job %s: %w", id, err)
	}
	return j, true, nil
}

package store

import (
	"fmt"

	bolt "go.etcd.io/bbolt"

	"reckoner/scheduler/job"
)

// The buckets; doc.go says what is in them.
const (
	bucketMeta        = "meta"
	bucketJobs        = "jobs"
	bucketJobsByID    = "jobs_by_id"
	bucketJobsByState = "jobs_by_state"
	bucketRuns        = "runs"
	bucketRunsByJob   = "runs_by_job"
	bucketRunsByState = "runs_by_state"
	bucketRunsByEnd   = "runs_by_end"
	bucketRunsByType  = "runs_by_type"
	bucketRunsByGPU   = "runs_by_gpu"
	bucketDurations   = "durations"
	bucketMachines    = "machines"
	bucketServers     = "servers"
	bucketBaselines   = "baselines"
	bucketNotes       = "notes"
)

// Keys in the bucket meta.
const (
	keySchema    = "schema"
	keyApp       = "app"
	keySettings  = "settings"
	keyIdlePower = "idle_power"
)

// A migration makes a database of the schema before into one of its own. Its
// number is its place in the list, from 1. Once released it never changes.
type migration func(*bolt.Tx) error

// migrations lead from an empty file to what this code reads and writes.
func migrations() []migration {
	return []migration{
		createBuckets,   // 1
		createBaselines, // 2
		createNotes,     // 3
	}
}

// bucketNames are the buckets of schema 1, but for meta.
func bucketNames() []string {
	return []string{
		bucketJobs, bucketJobsByID, bucketJobsByState,
		bucketRuns, bucketRunsByJob, bucketRunsByState, bucketRunsByEnd, bucketRunsByType, bucketRunsByGPU,
		bucketDurations, bucketMachines, bucketServers,
	}
}

func createBuckets(tx *bolt.Tx) error {
	for _, name := range bucketNames() {
		if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
			return fmt.Errorf("bucket %s: %w", name, err)
		}
	}
	return nil
}

// schemaOf reads a database's schema; an empty one has 0.
func schemaOf(tx *bolt.Tx) (int, error) {
	meta := tx.Bucket([]byte(bucketMeta))
	if meta == nil {
		if name, _ := tx.Cursor().First(); name != nil {
			return 0, job.Errorf(job.ErrDamaged, job.Args{Detail: "a database without a schema"}, nil)
		}
		return 0, nil
	}
	n, err := decode[int](meta.Get([]byte(keySchema)))
	if err != nil {
		return 0, job.Errorf(job.ErrDamaged, job.Args{Detail: "the schema's number"}, err)
	}
	return n, nil
}

// migrate brings a database to the schema of the last step, all of it in tx.
func migrate(tx *bolt.Tx, steps []migration) error {
	from, err := schemaOf(tx)
	if err != nil {
		return err
	}
	if from > len(steps) {
		return newerData(from, len(steps))
	}
	if from == len(steps) {
		return nil
	}
	for i, step := range steps[from:] {
		if err := step(tx); err != nil {
			return fmt.Errorf("migration to schema %d: %w", from+i+1, err)
		}
	}
	meta, err := tx.CreateBucketIfNotExists([]byte(bucketMeta))
	if err != nil {
		return fmt.Errorf("bucket %s: %w", bucketMeta, err)
	}
	value, err := encode(len(steps))
	if err != nil {
		return err
	}
	return meta.Put([]byte(keySchema), value)
}

func newerData(found, known int) error {
	return job.Errorf(job.ErrNewerData, job.Args{
		Count: found, Of: known, Detail: fmt.Sprintf("schema %d, this program knows %d", found, known),
	}, nil)
}

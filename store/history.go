package store

import (
	"context"
	"fmt"
	"slices"

	bolt "go.etcd.io/bbolt"

	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
)

const pageRows = 100

// History reads a page of ended runs, newest first.
func (s *Store) History(ctx context.Context, q job.HistoryQuery) ([]job.HistoryRow, error) {
	if q.Limit <= 0 {
		q.Limit = pageRows
	}
	var rows []job.HistoryRow
	err := s.view(ctx, func(tx *bolt.Tx) error {
		bucket, prefix := historyIndex(q)
		var before []byte
		if !q.Before.IsZero() {
			before = join(prefix, recordKey(q.Before, q.BeforeRun))
		}
		var stopped error
		seen := 0
		backwards(tx.Bucket([]byte(bucket)), prefix, before, func(_, key []byte) bool {
			if seen++; seen%1000 == 0 {
				if stopped = ctx.Err(); stopped != nil {
					return false
				}
			}
			if row, ok := s.historyRow(tx, key, q); ok {
				rows = append(rows, row)
			}
			return len(rows) < q.Limit
		})
		return stopped
	})
	if err != nil {
		return nil, fmt.Errorf("reading the history: %w", err)
	}
	return rows, nil
}

// historyIndex chooses the bucket whose keys answer most of a query.
func historyIndex(q job.HistoryQuery) (bucket string, prefix []byte) {
	switch {
	case q.TypeKey != "":
		return bucketRunsByType, word(q.TypeKey)
	case q.GPU != "":
		return bucketRunsByGPU, word(q.GPU)
	case q.Outcome != "":
		return bucketRunsByState, word(string(q.Outcome))
	}
	return bucketRunsByEnd, nil
}

func (s *Store) historyRow(tx *bolt.Tx, key []byte, q job.HistoryQuery) (job.HistoryRow, bool) {
	r, err := decode[job.Run](tx.Bucket([]byte(bucketRuns)).Get(key))
	if err != nil {
		s.unreadable(bucketRuns, key, err)
		return job.HistoryRow{}, false
	}
	if q.GPU != "" && r.GPU != q.GPU || q.Outcome != "" && r.Outcome != q.Outcome {
		return job.HistoryRow{}, false
	}
	j, found, err := jobByID(tx, r.Job)
	if err != nil {
		s.unreadable(bucketJobs, []byte(r.Job), err)
	}
	if !found {
		j = job.Job{ID: r.Job}
	}
	return job.HistoryRow{Job: j, Run: r}, true
}

// PastRuns reads the runs of a job type that succeeded, and as bounds those that
// were stopped, on all GPUs, oldest first, at most the newest limit for each GPU.
// A limit of 0 or less means 1000.
func (s *Store) PastRuns(ctx context.Context, typeKey string, limit int) ([]estimate.Run, error) {
	if typeKey == "" {
		return nil, nil
	}
	if limit <= 0 {
		limit = 1000
	}
	var runs []estimate.Run
	err := s.view(ctx, func(tx *bolt.Tx) error {
		runs = pastRuns(tx, typeKey, limit, func(key []byte, err error) { s.unreadable(bucketDurations, key, err) })
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("past runs of type %s: %w", typeKey, err)
	}
	slices.SortStableFunc(runs, func(a, b estimate.Run) int { return a.At.Compare(b.At) })
	return runs, nil
}

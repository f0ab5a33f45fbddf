package store

import (
	"fmt"
	"maps"
	"slices"

	bolt "go.etcd.io/bbolt"

	"reckoner/scheduler/job"
)

// putIdlePower replaces what is kept of some GPUs. All of it is one small value in
// meta.
func putIdlePower(tx *bolt.Tx, learned map[string]job.IdlePower) error {
	if len(learned) == 0 {
		return nil
	}
	kept, err := readIdlePower(tx)
	if err != nil {
		kept = nil // it is learned anew
	}
	for i, k := range kept {
		if l, ok := learned[k.GPU]; ok {
			kept[i] = l
			delete(learned, k.GPU)
		}
	}
	for _, gpu := range slices.Sorted(maps.Keys(learned)) {
		kept = append(kept, learned[gpu])
	}
	value, err := encode(kept)
	if err == nil {
		err = tx.Bucket([]byte(bucketMeta)).Put([]byte(keyIdlePower), value)
	}
	if err != nil {
		return fmt.Errorf("idle power: %w", err)
	}
	return nil
}

func readIdlePower(tx *bolt.Tx) ([]job.IdlePower, error) {
	value := tx.Bucket([]byte(bucketMeta)).Get([]byte(keyIdlePower))
	if value == nil {
		return nil, nil
	}
	return decode[[]job.IdlePower](value)
}

package store

import (
	"errors"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"reckoner/scheduler/job"
)

// giveApp makes the folder's own id, unless it has one.
func giveApp(tx *bolt.Tx, newID func() job.ID) error {
	meta := tx.Bucket([]byte(bucketMeta))
	if meta.Get([]byte(keyApp)) != nil {
		return nil
	}
	id := newID()
	if id == "" {
		return errors.New("no id for the data folder")
	}
	value, err := encode(id)
	if err != nil {
		return err
	}
	return meta.Put([]byte(keyApp), value)
}

func readApp(tx *bolt.Tx) (job.ID, error) {
	id, err := decode[job.ID](tx.Bucket([]byte(bucketMeta)).Get([]byte(keyApp)))
	if err != nil {
		return "", job.Errorf(job.ErrDamaged, job.Args{Detail: "the data folder's id"}, err)
	}
	return id, nil
}

func putSettings(tx *bolt.Tx, s job.Settings) error {
	value, err := encode(s)
	if err == nil {
		err = tx.Bucket([]byte(bucketMeta)).Put([]byte(keySettings), value)
	}
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	return nil
}

// readSettings reads the settings; never saved ones are the zero Settings.
func readSettings(tx *bolt.Tx) (job.Settings, error) {
	value := tx.Bucket([]byte(bucketMeta)).Get([]byte(keySettings))
	if value == nil {
		return job.Settings{}, nil
	}
	s, err := decode[job.Settings](value)
	if err != nil {
		return job.Settings{}, fmt.Errorf("settings: %w", err)
	}
	return s, nil
}

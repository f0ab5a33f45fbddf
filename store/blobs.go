package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"reckoner/scheduler/job"
)

// PutBlob keeps content under its SHA-256 and returns that in hexadecimal. The
// file and its name are synced when PutBlob returns, so a record may name it.
func (s *Store) PutBlob(ctx context.Context, content []byte) (string, error) {
	if s.lock == nil {
		return "", errReadOnly
	}
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("storing content: %w", err)
	}
	sum := sha256.Sum256(content)
	name := hex.EncodeToString(sum[:])
	folder := filepath.Join(s.dir, dirBlobs)
	// One at a time: that a name is there must also mean that it is synced.
	s.blobMu.Lock()
	defer s.blobMu.Unlock()
	if there, err := os.ReadFile(filepath.Join(folder, name)); err == nil && bytes.Equal(there, content) {
		return name, nil
	}
	if err := writeSynced(folder, name, content); err != nil {
		return "", fmt.Errorf("storing content: %w", diskError(filepath.Join(folder, name), err))
	}
	return name, nil
}

// writeSynced makes a file appear whole or not at all.
func writeSynced(folder, name string, content []byte) (err error) {
	f, err := os.CreateTemp(folder, ".new-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreGone(os.Remove(f.Name())))
		}
	}()
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), filepath.Join(folder, name)); err != nil {
		return err
	}
	return syncDir(folder)
}

func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Blob reads what PutBlob kept. Content that no longer has its sum is
// job.ErrDamaged, none at all job.ErrNotFound.
func (s *Store) Blob(ctx context.Context, sha string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("reading content: %w", err)
	}
	if b, err := hex.DecodeString(sha); err != nil || len(b) != sha256.Size || strings.ToLower(sha) != sha {
		return nil, job.Errorf(job.ErrNotFound, job.Args{Value: sha, Detail: "not a SHA-256"}, err)
	}
	path := filepath.Join(s.dir, dirBlobs, sha)
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, job.Errorf(job.ErrNotFound, job.Args{File: path}, err)
	}
	if err != nil {
		return nil, fmt.Errorf("reading content: %w", err)
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != sha {
		return nil, job.Errorf(job.ErrDamaged, job.Args{File: path, Detail: "the content is not what its name says"}, nil)
	}
	return content, nil
}

// hasBlobs tells whether anything was ever kept in a data folder.
func hasBlobs(dir string) bool {
	d, err := os.Open(filepath.Join(dir, dirBlobs))
	if err != nil {
		return false
	}
	defer func() { _ = d.Close() }()
	names, _ := d.Readdirnames(1)
	return len(names) > 0
}

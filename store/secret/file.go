package secret

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"reckoner/scheduler/job"
)

// maxFile bounds the file.
const maxFile = 4 << 20

// version of the file's form.
const version = 1

// file is where secrets lie that no keyring has, and which servers have
// something in the keyring.
type file struct{ path string }

func inFolder(dir string) file { return file{filepath.Join(dir, "secrets.json")} }

// entry is one server's.
type entry struct {
	Place  Place           `json:"place"`
	Secret json.RawMessage `json:"secret,omitempty"` // only with InFile
}

type entries map[job.ID]entry

type document struct {
	Version int     `json:"version"`
	Servers entries `json:"servers"`
}

// read gives what is in the file, nothing when there is none. Its errors never
// quote it.
func (f file) read() (entries, error) {
	in, err := os.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return entries{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	raw, err := io.ReadAll(io.LimitReader(in, maxFile))
	if err != nil {
		return nil, err
	}
	var d document
	if json.Unmarshal(raw, &d) != nil {
		return nil, fmt.Errorf("%s is damaged; move it away and enter passwords again", f.path)
	}
	if d.Version > version {
		return nil, fmt.Errorf("%s was written by a newer Reckoner", f.path)
	}
	if d.Servers == nil {
		d.Servers = entries{}
	}
	return d.Servers, nil
}

// write replaces the file as a whole, readable by the user alone from its first
// byte on.
func (f file) write(all entries) (err error) {
	raw, err := json.Marshal(document{Version: version, Servers: all})
	if err != nil {
		return errNotKept // json's own words may quote a secret
	}
	part, err := os.CreateTemp(filepath.Dir(f.path), ".secrets-*") // 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(part.Name()))
		}
	}()
	_, err = part.Write(raw)
	if err == nil {
		err = part.Sync()
	}
	err = errors.Join(err, part.Close())
	if err != nil {
		return err
	}
	return os.Rename(part.Name(), f.path)
}

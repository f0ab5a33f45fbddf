package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// checkOutDir sees whether results can be kept in a folder, before anything is
// sent whose results could not: it makes the folder, puts a file into it, and
// takes away again whatever it made.
func checkOutDir(dir string) error {
	made, err := makeDirs(dir)
	if err == nil {
		err = tryFile(dir)
	}
	for _, m := range slices.Backward(made) {
		if removed := os.Remove(m); err == nil && removed != nil {
			err = removed
		}
	}
	return err
}

// makeDirs makes a folder and gives those that were not there, outermost first.
func makeDirs(dir string) (made []string, err error) {
	var missing []string
	for at := dir; ; at = filepath.Dir(at) {
		_, err := os.Lstat(at)
		if err == nil || !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		missing = append(missing, at)
	}
	for _, m := range slices.Backward(missing) {
		if err := os.Mkdir(m, 0o755); err != nil { //nolint:gosec // the user's own pictures
			return made, err
		}
		made = append(made, m)
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is a file, not a folder", dir)
	}
	return made, err
}

func tryFile(dir string) error {
	f, err := os.CreateTemp(dir, ".reckoner-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

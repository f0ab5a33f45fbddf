package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

const (
	fileDB      = "reckoner.db"
	fileLock    = "lock"
	dirBlobs    = "blobs"
	dirSetAside = "set-aside"

	dirMode  = 0o700
	fileMode = 0o600
)

// DefaultDir is the data folder of this user: $XDG_DATA_HOME/reckoner, or where
// XDG says that this is when it is not set; on Windows %LOCALAPPDATA%\Reckoner.
func DefaultDir() (string, error) {
	if runtime.GOOS == "windows" {
		local := os.Getenv("LOCALAPPDATA")
		if local == "" {
			return "", errors.New("no data folder: LOCALAPPDATA is not set")
		}
		return filepath.Join(local, "Reckoner"), nil
	}
	// A relative path there is invalid and to be ignored (XDG Base Directory
	// Specification, "Environment variables").
	if data := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return filepath.Join(data, "reckoner"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no data folder: %w", err)
	}
	return filepath.Join(home, ".local", "share", "reckoner"), nil
}

// prepare makes the data folder. One that is there already keeps its mode: it
// may be a folder of the user's that holds other things. What is ours inside is
// for this user only in any case.
func prepare(dir string) error {
	for _, d := range []string{dir, filepath.Join(dir, dirBlobs), filepath.Join(dir, dirSetAside)} {
		if err := os.MkdirAll(d, dirMode); err != nil {
			return fmt.Errorf("the data folder: %w", err)
		}
	}
	return syncDir(dir)
}

// syncDir makes the names in a folder survive a power cut. Windows has no such
// call; NTFS writes names through its journal.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

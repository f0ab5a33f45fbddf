package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"reckoner/store"
)

// maxSocketPath is the longest path that fits into a socket's address
// everywhere: sun_path holds 104 bytes with its end on macOS, 108 on Linux.
const maxSocketPath = 100

// dataFolder gives the absolute data folder: the one that was asked for, else
// the one that the system keeps for a program's data.
func dataFolder(asked string) (string, error) {
	if asked != "" {
		return filepath.Abs(asked)
	}
	dir, err := store.DefaultDir()
	if err != nil {
		return "", fmt.Errorf("%w; say --data DIR", err)
	}
	return dir, nil
}

// framesFolder gives where first frames of videos are kept, "" where the system
// keeps nothing for programs.
func framesFolder() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "reckoner", "thumbnails")
}

// socketPath gives where the engine of a data folder listens: in the folder that
// lives as long as the user's login, named after the data folder; in the data
// folder itself where there is no such folder or its path is too long.
func socketPath(data string, getenv func(string) string) (string, error) {
	if resolved, err := filepath.EvalSymlinks(data); err == nil {
		data = resolved
	}
	sum := sha256.Sum256([]byte(data))
	var paths []string
	if dir := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			paths = append(paths, filepath.Join(dir, "reckoner-"+hex.EncodeToString(sum[:8])+".sock"))
		}
	}
	paths = append(paths, filepath.Join(data, "socket"))
	for _, p := range paths {
		if len(p) <= maxSocketPath {
			return p, nil
		}
	}
	return "", fmt.Errorf("the path of the data folder %s is too long for a socket; choose a shorter --data", data)
}

package transfer

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// appFolder is what Reckoner's folder among the user's videos is called.
const appFolder = "Reckoner"

// DefaultResults is where results go when the user chose nothing: Reckoner's
// folder in the desktop's folder of videos, or of pictures when there is none
// for videos.
func DefaultResults() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no folder for results: %w", err)
	}
	var folders []string
	if runtime.GOOS != "windows" && runtime.GOOS != "darwin" {
		named, err := userDirs(home)
		if err != nil {
			return "", err
		}
		folders = append(folders, named["XDG_VIDEOS_DIR"], named["XDG_PICTURES_DIR"])
	}
	videos := filepath.Join(home, "Videos")
	if runtime.GOOS == "darwin" {
		videos = filepath.Join(home, "Movies")
	}
	for _, f := range append(folders, videos, filepath.Join(home, "Pictures")) {
		// A folder set to the home folder is one that the user does without
		// (xdg-user-dirs, user-dirs.dirs(5)).
		if f == "" || f == filepath.Clean(home) {
			continue
		}
		if info, err := os.Stat(f); err == nil && info.IsDir() {
			return filepath.Join(f, appFolder), nil
		}
	}
	return filepath.Join(videos, appFolder), nil
}

// userDirs reads where the desktop keeps the user's folders. Without the file,
// none are known.
func userDirs(home string) (map[string]string, error) {
	config := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(config) {
		config = filepath.Join(home, ".config")
	}
	f, err := os.Open(filepath.Join(config, "user-dirs.dirs"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the desktop's folders: %w", err)
	}
	defer func() { _ = f.Close() }()
	return parseUserDirs(f, home), nil
}

// parseUserDirs reads lines of the form XDG_VIDEOS_DIR="$HOME/Videos". The value
// is absolute or begins with $HOME; other lines mean nothing (user-dirs.dirs(5)).
func parseUserDirs(r io.Reader, home string) map[string]string {
	dirs := map[string]string{}
	lines := bufio.NewScanner(io.LimitReader(r, 64<<10))
	for lines.Scan() {
		key, value, ok := strings.Cut(strings.TrimSpace(lines.Text()), "=")
		if !ok || len(value) < 2 || value[0] != '"' || value[len(value)-1] != '"' {
			continue
		}
		value = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\$`, `$`, "\\`", "`").Replace(value[1 : len(value)-1])
		if value == "$HOME" || strings.HasPrefix(value, "$HOME/") {
			value = home + value[len("$HOME"):]
		}
		if filepath.IsAbs(value) {
			dirs[key] = filepath.Clean(value)
		}
	}
	return dirs
}

package transfer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDefaultResultsAreWhereTheDesktopKeepsVideos(t *testing.T) {
	for name, c := range map[string]struct {
		dirs string   // user-dirs.dirs
		have []string // folders that exist
		want string
	}{
		"nothing known":           {"", nil, "Videos/Reckoner"},
		"no videos, but pictures": {"", []string{"Pictures"}, "Pictures/Reckoner"},
		"both":                    {"", []string{"Pictures", "Videos"}, "Videos/Reckoner"},
		"named in another tongue": {`XDG_VIDEOS_DIR="$HOME/Filme"`, []string{"Filme"}, "Filme/Reckoner"},
		"named, but not there":    {`XDG_VIDEOS_DIR="$HOME/Filme"`, []string{"Videos"}, "Videos/Reckoner"},
		"done without": {
			"XDG_VIDEOS_DIR=\"$HOME/\"\nXDG_PICTURES_DIR=\"$HOME/Bilder\"", []string{"Bilder"}, "Bilder/Reckoner",
		},
		"lines that mean nothing": {
			"# XDG_VIDEOS_DIR\nXDG_VIDEOS_DIR=Filme\nXDG_VIDEOS_DIR=\"Filme\"\n=\"\n", []string{"Filme"}, "Videos/Reckoner",
		},
		"an escape in the folder":  {`XDG_VIDEOS_DIR="$HOME/a\"b"`, []string{`a"b`}, `a"b/Reckoner`},
		"pictures named, no video": {`XDG_PICTURES_DIR="$HOME/Bilder"`, []string{"Bilder"}, "Bilder/Reckoner"},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			t.Setenv("HOME", home)
			t.Setenv("XDG_CONFIG_HOME", "")
			for _, d := range append(c.have, ".config") {
				if err := os.Mkdir(filepath.Join(home, d), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if c.dirs != "" {
				if err := os.WriteFile(filepath.Join(home, ".config", "user-dirs.dirs"), []byte(c.dirs), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got, err := DefaultResults()
			if err != nil || got != filepath.Join(home, c.want) {
				t.Errorf("%q, %v, want %q", got, err, c.want)
			}
		})
	}
}

func FuzzParseUserDirs(f *testing.F) {
	f.Add("XDG_VIDEOS_DIR=\"$HOME/Videos\"\n")
	f.Add("\"=\"")
	f.Add("X=\"")
	f.Add("X=\"$HOMEother\"")
	f.Fuzz(func(t *testing.T, text string) {
		for key, dir := range parseUserDirs(strings.NewReader(text), "/home/ada") {
			if !filepath.IsAbs(dir) {
				t.Errorf("%s is %q", key, dir)
			}
		}
	})
}

package autostart

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestItStartsWithTheDesktopAndNoLonger(t *testing.T) {
	config := t.TempDir()
	e := New(config, "org.reckoner.Reckoner", "/opt/my programs/reckoner")
	state := func(want bool) {
		t.Helper()
		if on, err := e.On(); err != nil || on != want {
			t.Fatalf("on: %v, error %v; want %v", on, err, want)
		}
	}
	state(false)
	for range 2 { // asking twice changes nothing
		if err := e.Set(true); err != nil {
			t.Fatal(err)
		}
		state(true)
	}
	files, err := os.ReadDir(filepath.Join(config, "autostart"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%d files, error %v; want the entry alone", len(files), err)
	}
	entry, err := os.ReadFile(filepath.Join(config, "autostart", "org.reckoner.Reckoner.desktop"))
	if err != nil || !strings.Contains(string(entry), "Exec=\"/opt/my programs/reckoner\"\n") {
		t.Errorf("the entry is\n%s\nerror %v", entry, err)
	}
	for range 2 {
		if err := e.Set(false); err != nil {
			t.Fatal(err)
		}
		state(false)
	}
}

func TestAnEntryThatTheDesktopSwitchedOffIsOff(t *testing.T) {
	config := t.TempDir()
	e := New(config, "x", "/usr/bin/reckoner")
	if err := e.Set(true); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(config, "autostart", "x.desktop")
	entry, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(entry, "Hidden=true\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if on, err := e.On(); on || err != nil {
		t.Errorf("on: %v, error %v", on, err)
	}
}

func TestAFolderThatCannotBeWrittenIsSaid(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := New(file, "x", "/usr/bin/reckoner").Set(true); err == nil {
		t.Error("nothing was said")
	}
}

func TestOddPathsStayOneArgument(t *testing.T) {
	for in, want := range map[string]string{
		"/usr/bin/reckoner": `"/usr/bin/reckoner"`,
		`/a b/$x/100%`:      `"/a b/\\$x/100%%"`,
		`/q"uote`:           `"/q\\"uote"`,
	} {
		if got := quoted(in); got != want {
			t.Errorf("%s becomes %s, want %s", in, got, want)
		}
	}
}

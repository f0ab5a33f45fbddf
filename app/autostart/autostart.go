// Package autostart starts Reckoner with the desktop, or no longer.
//
// It owns one entry in the user's autostart folder, as the desktop's
// specification has it (Desktop Application Autostart Specification 0.5). It must
// never touch an entry of another program.
package autostart

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Entry is the autostart entry of this user.
type Entry struct {
	path string
	// program is the executable that the entry starts.
	program string
}

// New gives the entry of an application in a configuration folder, as
// os.UserConfigDir gives it. Nothing is read yet.
func New(config, id, program string) Entry {
	return Entry{path: filepath.Join(config, "autostart", id+".desktop"), program: program}
}

// On tells whether the program starts with the desktop.
func (e Entry) On() (bool, error) {
	entry, err := os.ReadFile(e.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read the autostart entry: %w", err)
	}
	for line := range strings.Lines(string(entry)) {
		if strings.TrimSpace(line) == "Hidden=true" {
			return false, nil
		}
	}
	return true, nil
}

// Set has the program start with the desktop, or no longer.
func (e Entry) Set(on bool) error {
	if !on {
		if err := os.Remove(e.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove the autostart entry: %w", err)
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(e.path), 0o700); err != nil {
		return fmt.Errorf("make the autostart folder: %w", err)
	}
	// Written beside and renamed: a full disk leaves no half entry.
	beside := e.path + ".new"
	if err := os.WriteFile(beside, []byte(e.text()), 0o600); err != nil {
		return errors.Join(fmt.Errorf("write the autostart entry: %w", err), os.Remove(beside))
	}
	if err := os.Rename(beside, e.path); err != nil {
		return fmt.Errorf("write the autostart entry: %w", err)
	}
	return nil
}

func (e Entry) text() string {
	return "[Desktop Entry]\nType=Application\nName=Reckoner\nComment=A render queue for ComfyUI machines\n" +
		"Exec=" + quoted(e.program) + "\nIcon=org.reckoner.Reckoner\nTerminal=false\n"
}

// quoted writes an argument of an Exec line (Desktop Entry Specification 1.5, the
// Exec key): quoted, and a percent sign is no field code.
func quoted(arg string) string {
	// The first layer is the quoted argument, the second the string of the entry.
	arg = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "`", "\\`", "$", `\$`, "%", "%%").Replace(arg)
	return `"` + strings.ReplaceAll(arg, `\`, `\\`) + `"`
}

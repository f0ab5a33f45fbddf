package app

import (
	"os"
	"path/filepath"
	"strings"

	"reckoner/scheduler"
)

// pastedName is the name of a job that came from the clipboard.
const pastedName = "pasted workflow.json"

// paste adds the workflow that is in the clipboard as text.
func (w *window) paste() {
	content := w.app.Clipboard().Content()
	if strings.TrimSpace(content) == "" {
		w.tell("Nothing to paste", "The clipboard has no text. Copy a workflow as JSON first.", nil)
		return
	}
	w.goes(func() {
		dir, err := os.MkdirTemp("", "reckoner-paste-")
		if err == nil {
			defer os.RemoveAll(dir) // the job keeps its content
			path := filepath.Join(dir, pastedName)
			if err = os.WriteFile(path, []byte(content), 0o600); err == nil {
				var added scheduler.Added
				r := scheduler.AddRequest{Files: []string{path}}
				added, err = w.o.Farm.Add(w.ctx, r)
				w.do(func() { w.received(r, added, err, nil) })
				w.bridge.Changed()
				return
			}
		}
		w.do(func() { w.tell("It could not be pasted", err.Error(), nil) })
	})
}

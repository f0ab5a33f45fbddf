package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reckoner/scheduler/job"
)

// Given a workflow in the format of ComfyUI's page, then inspect says that it is
// not a job yet; with a server's classes it is one.
func TestInspectConvertsAWorkflowOfThePage(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ui := write("walk.json", `{"nodes":[{"id":1,"type":"EmptyImage","outputs":[{"type":"IMAGE"}],"widgets_values":[64]},
		{"id":2,"type":"SaveImage","inputs":[{"name":"images","type":"IMAGE","link":1}],"widgets_values":[]}],
		"links":[[1,1,0,2,0,"IMAGE"]]}`)
	images := write("a.json", `{"EmptyImage":{"input":{"required":{"width":["INT",{}]}},"output":["IMAGE"]}}`)
	saves := write("b.json", `{"SaveImage":{"input":{"required":{"images":["IMAGE"]}},"output":[],"output_node":true}}`)

	line := func(args ...string) (l inspectLine, status int) {
		t.Helper()
		got := runCLI(t, newFakeParts(t), append([]string{"inspect", "--json"}, args...)...)
		if err := json.Unmarshal([]byte(got.stdout), &l); err != nil {
			t.Fatalf("%v: %q %q", err, got.stdout, got.stderr)
		}
		return l, got.status
	}
	if l, status := line(ui); status != exitDone || orEmpty(l.Format) != "ui" || l.JobType != nil ||
		len(l.Warnings) != 1 || l.Error != nil {
		t.Errorf("without classes: %d, %+v", status, l)
	}
	if l, status := line("--object-info", images, ui); status != exitUsage || l.Error == nil ||
		l.Error.Code != job.ErrUnknownClass || orEmpty(l.Format) != "ui" {
		t.Errorf("with half of the classes: %d, %+v", status, l)
	}
	if l, status := line("--object-info", images, "--object-info", saves, ui); status != exitDone || l.Nodes != 2 ||
		len(l.Outputs) != 1 || l.JobType == nil {
		t.Errorf("with all: %d, %+v", status, l)
	}
	api := runCLI(t, newFakeParts(t), "inspect", "--api", "--object-info", images, "--object-info", saves, ui)
	if !strings.Contains(api.stdout, `"2":{"inputs":{"images":["1",0]},"class_type":"SaveImage"}`) {
		t.Errorf("as it would be sent: %q %q", api.stdout, api.stderr)
	}
	if got := runCLI(t, newFakeParts(t), "inspect", "--api", ui); got.status != exitUsage || got.stdout != "" {
		t.Errorf("--api without classes: %+v", got)
	}
	if got := runCLI(t, newFakeParts(t), "inspect", "--object-info", ui, ui); got.status != exitUsage {
		t.Errorf("classes that are none: %+v", got)
	}
}

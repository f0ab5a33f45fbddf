package transfer

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"reckoner/scheduler/job"
)

// folderMode is that of folders for results: the user's own pictures, as any
// program saves them.
const folderMode = 0o755

// openResults makes the folder for results and opens it. Nothing is reached
// through it that lies outside, by links either.
func openResults(dir string) (*os.Root, string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, "", fmt.Errorf("the folder for results: %w", err)
	}
	if err := os.MkdirAll(dir, folderMode); err != nil {
		return nil, "", diskError(dir, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, "", diskError(dir, err)
	}
	return root, dir, nil
}

// pathOf gives where below a destination's folder a file goes that a server
// calls serverName: a folder, "" for the destination's own, and a name in it,
// with the ending that the server gave it. Whatever the template and its values
// say, it lies below.
func pathOf(to job.Destination, serverName string) (folder, name string) {
	name = FileName(serverName)
	ext := path.Ext(name)
	if len(ext) > maxExtBytes || len(ext) == len(name) {
		ext = ""
	}
	values := map[string]string{
		job.NameOfJob: to.Job, job.NameOfSeed: to.Seed, job.NameOfMachine: to.Machine, job.NameOfBatch: to.Batch,
		job.NameOfFile: strings.TrimSuffix(name, ext),
	}
	if !to.Date.IsZero() {
		values[job.NameOfDate] = to.Date.Local().Format(time.DateOnly)
	}
	folders, file := split(to.Names)
	var parts []string
	for _, f := range folders {
		if f = folderName(fill(f, values)); f != "" {
			parts = append(parts, f)
		}
	}
	if stem := folderName(fill(file, values)); stem != "" {
		if !strings.EqualFold(path.Ext(file), ext) { // not written into the template
			stem += ext
		}
		name = FileName(stem)
	}
	return filepath.Join(parts...), name
}

// split takes a template apart into its folders and the file.
func split(names string) (folders []string, file string) {
	parts := strings.FieldsFunc(names, isSeparator)
	if len(parts) == 0 || isSeparator(rune(names[len(names)-1])) {
		return parts, ""
	}
	return parts[:len(parts)-1], parts[len(parts)-1]
}

func isSeparator(r rune) bool { return r == '/' || r == '\\' }

// fill puts values into a part of a template. Where one is not known, what was to
// stand between it and the others goes too.
func fill(part string, values map[string]string) string {
	var pairs []string
	empty := false
	for _, p := range [...]string{
		job.NameOfJob, job.NameOfSeed, job.NameOfMachine, job.NameOfDate, job.NameOfBatch, job.NameOfFile,
	} {
		value := folderName(values[p])
		empty = empty || value == "" && strings.Contains(part, p)
		pairs = append(pairs, p, value)
	}
	part = strings.NewReplacer(pairs...).Replace(part)
	if empty {
		part = strings.Trim(part, "-_ ")
	}
	return part
}

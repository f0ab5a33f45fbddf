package scheduler

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"reckoner/scheduler/job"
	"reckoner/scheduler/jobfile"
)

const (
	// maxInput is the largest file that is taken as an input. Servers refuse more
	// than 100 MB unless they are told otherwise (comfyui-protocol, 1.2).
	maxInput = 256 << 20 // bytes
	// ourName begins the names under which inputs are uploaded; the SHA-256 of the
	// content follows. Results that name them are found again by it.
	ourName = "reckoner-"
	// askWithin bounds how long servers are asked for files while jobs are added.
	askWithin = 10 * time.Second
)

// keepInputs finds the files that a job reads and keeps what they hold: those
// that were given, those that lie next to the job file, and those that an
// earlier job of ours had. The others are expected on the server.
func (e *Engine) keepInputs(ctx context.Context, in *intake, given inputSet) ([]job.InputFile, error) {
	var inputs []job.InputFile
	for _, r := range in.file.Reads() {
		f := job.InputFile{Node: r.Node, Title: r.Title, Input: r.Name, File: r.File}
		for _, g := range given.files {
			if g.node == r.Node {
				f.Path = g.path
			}
		}
		if err := e.keepInput(ctx, &f, in.path); err != nil {
			return nil, err
		}
		inputs = append(inputs, f)
	}
	return inputs, nil
}

// keepInput finds the content of one input, where it is at hand.
func (e *Engine) keepInput(ctx context.Context, f *job.InputFile, jobPath string) error {
	if f.Path != "" {
		content, err := readInput(os.OpenInRoot(filepath.Dir(f.Path), filepath.Base(f.Path)))
		if err != nil {
			return asError(err, job.ErrUnreadable)
		}
		return e.putInput(ctx, f, content)
	}
	if sum, ok := ourSum(f.File); ok {
		if content, err := e.cfg.Store.Blob(ctx, sum); err == nil {
			f.Blob, f.Bytes = sum, int64(len(content))
			return nil
		}
	}
	if path, content, ok := nextTo(jobPath, f.File); ok {
		f.Path = path
		return e.putInput(ctx, f, content)
	}
	return nil
}

func (e *Engine) putInput(ctx context.Context, f *job.InputFile, content []byte) error {
	blob, err := e.cfg.Store.PutBlob(ctx, content)
	if err != nil {
		return fmt.Errorf("keep the input %s: %w", f.Path, err)
	}
	f.Blob, f.Bytes = blob, int64(len(content))
	return nil
}

// nextTo looks for a file that a job names in the folder of the job file, under
// its whole name and under its last part. A job file may come from anywhere, so
// nothing outside of that folder is looked at, and nothing taken that is neither
// picture, video nor sound.
func nextTo(jobPath, file string) (found string, content []byte, ok bool) {
	name, folder := folderOf(file)
	if folder != "input" || jobPath == "" {
		return "", nil, false
	}
	dir := filepath.Dir(jobPath)
	name = strings.ReplaceAll(name, `\`, "/")
	for _, name := range []string{name, path.Base(name)} {
		local := filepath.FromSlash(name)
		content, err := readInput(os.OpenInRoot(dir, local))
		if err == nil && jobfile.SniffMedia(content[:min(64, len(content))]) != "" {
			return filepath.Join(dir, local), content, true
		}
	}
	return "", nil, false
}

var errNotPlain = errors.New("not a regular file")

// readInput reads an opened file whole.
func readInput(f *os.File, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errNotPlain
	case info.Size() > maxInput:
		return nil, job.Errorf(job.ErrFileTooLarge, job.Args{File: filepath.Base(f.Name()), Bytes: maxInput}, nil)
	}
	content := make([]byte, info.Size())
	if _, err := io.ReadFull(f, content); err != nil {
		return nil, err
	}
	return content, nil
}

// folderOf takes the mark of one of the server's folders off a name
// (comfyui-protocol, 1.9).
func folderOf(file string) (name, folder string) {
	for _, folder := range []string{"input", "output", "temp"} {
		if name, ok := strings.CutSuffix(file, " ["+folder+"]"); ok {
			return name, folder
		}
	}
	return file, "input"
}

// onServer gives where a server looks for a file.
func onServer(file string) job.OutputRef {
	name, folder := folderOf(file)
	dir, base := path.Split(strings.ReplaceAll(name, `\`, "/"))
	return job.OutputRef{Filename: base, Subfolder: strings.TrimSuffix(dir, "/"), Type: folder}
}

// uploadName gives the name under which content is uploaded.
func uploadName(f job.InputFile) string {
	name := f.Path
	if name == "" {
		name, _ = folderOf(f.File)
	}
	ext := strings.ToLower(path.Ext(filepath.ToSlash(name)))
	if len(ext) > 8 || strings.ContainsFunc(ext, func(r rune) bool {
		return r != '.' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}) {
		ext = ""
	}
	return ourName + f.Blob + ext
}

// ourSum gives the SHA-256 in a name of ours.
func ourSum(file string) (string, bool) {
	base := baseOf(file)
	sum, ours := strings.CutPrefix(strings.TrimSuffix(base, path.Ext(base)), ourName)
	return sum, ours && len(sum) == 64
}

// missing says that a file which a job reads is neither here nor on any server:
// one that only one of them has is fetched from there. While one of them does not tell, nothing is missing.
func (e *Engine) missing(ctx context.Context, j *job.Job) *job.Error {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	servers := e.usable()
	for _, id := range j.Servers {
		if !slices.Contains(servers, id) { // named just now
			servers = append(servers, id)
		}
	}
	for _, f := range j.Inputs {
		if f.Blob != "" {
			continue
		}
		asked := 0
		for _, id := range servers {
			srv, err := e.hosts.server(id)
			if keeper, ok := srv.(inputKeeper); err == nil && ok {
				if has, err := keeper.Has(ctx, onServer(f.File)); err == nil && !has {
					asked++
				}
			}
		}
		if asked > 0 && asked == len(servers) {
			return lacks(f)
		}
	}
	return nil
}

func lacks(f job.InputFile) *job.Error {
	return job.Errorf(job.ErrMissingInput, job.Args{File: f.File, Node: f.Node, Value: f.Title}, nil)
}

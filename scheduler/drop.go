package scheduler

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reckoner/scheduler/job"
	"reckoner/scheduler/jobfile"
)

// maxDropped bounds how many files of a folder are taken.
const maxDropped = 10000

// drop is what the files of a request are, taken together.
type drop struct {
	jobs    []*intake
	media   []*media
	refused []Refusal
}

// media is a picture, a video or a sound that is no job.
type media struct {
	path  string // absolute
	given string // as it was named
	kind  jobfile.Media
	err   *job.Error // why it is no job
	named bool       // a job names it
}

// readAll reads the files of a request. What carries no workflow becomes an
// input of the jobs beside it; what nobody takes is refused.
func (e *Engine) readAll(ctx context.Context, req AddRequest) drop {
	var d drop
	for _, path := range req.Files {
		found, fromFolder := []string{path}, false
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			found, fromFolder = inFolder(path), true
			if len(found) == 0 {
				d.refuse(path, job.Errorf(job.ErrFolder, job.Args{File: filepath.Base(path)}, nil))
			}
		}
		for _, path := range found {
			d.read(ctx, e, path, req, fromFolder)
		}
	}
	d.namedByOthers()
	d.pair(req.Input)
	return d
}

// read sorts one file.
func (d *drop) read(ctx context.Context, e *Engine, path string, req AddRequest, fromFolder bool) {
	in, err := e.read(ctx, path, req.Servers, req.UseWorkflow)
	if err == nil {
		d.jobs = append(d.jobs, in)
		return
	}
	kind := jobfile.MediaOf(err.Args.Value)
	abs, absErr := filepath.Abs(path)
	noJob := (err.Code == job.ErrPicture || err.Code == job.ErrA1111) && err.Args.Count == 0
	switch {
	case noJob && kind != "" && absErr == nil:
		d.media = append(d.media, &media{path: abs, given: path, kind: kind, err: err})
	case fromFolder && err.Code == job.ErrNotWorkflow: // some other program's JSON
	default:
		d.refuse(path, err)
	}
}

func (d *drop) refuse(path string, err *job.Error) {
	d.refused = append(d.refused, Refusal{File: path, Err: err})
}

// inFolder gives the files of a folder, and of those in it, that can be jobs or
// inputs, in the order of their names.
func inFolder(dir string) []string {
	var files []string
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // a folder that may not be read holds nothing for us
		case len(files) == maxDropped:
			return fs.SkipAll
		case path != dir && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case entry.Type().IsRegular() && isDroppable(entry.Name()):
			files = append(files, path)
		}
		return nil
	})
	return files
}

func isDroppable(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".json", ".png", ".jpg", ".jpeg", ".webp", ".gif", ".avif", ".tif", ".tiff",
		".mp4", ".mov", ".webm", ".mkv", ".avi", ".flac", ".mp3", ".wav", ".ogg":
		return true
	}
	return false
}

// namedByOthers takes a picture for an input that carries a workflow of its own,
// as all of ComfyUI's do, when another job beside it names it.
func (d *drop) namedByOthers() {
	names := map[string]int{}
	for _, in := range d.jobs {
		for _, r := range in.file.Reads() {
			names[baseOf(r.File)]++
		}
	}
	d.jobs = slices.DeleteFunc(d.jobs, func(in *intake) bool {
		kind := jobfile.MediaOf(in.file.Format)
		base := filepath.Base(in.path)
		own := slices.ContainsFunc(in.file.Reads(), func(r jobfile.MediaInput) bool { return baseOf(r.File) == base })
		if kind == "" || names[base] == 0 || own && names[base] == 1 {
			return false
		}
		d.media = append(d.media, &media{path: in.path, given: in.path, kind: kind})
		return true
	})
}

// baseOf gives the last part of a name in a workflow, of either kind of system,
// without the mark of the server's folder behind it.
func baseOf(file string) string {
	name, _ := folderOf(file)
	name = strings.ReplaceAll(name, `\`, "/")
	return name[strings.LastIndexByte(name, '/')+1:]
}

// inputSet is the files that were dropped for the inputs of one job.
type inputSet struct {
	files  []givenFile
	inName string // tells the job from the others of its batch, or ""
}

type givenFile struct{ node, path string }

// pair gives the media to the jobs: by the names in them, and what no job names
// to the one node that can take it, a job for each file. which names that node
// where there are several.
func (d *drop) pair(which string) {
	d.jobs = slices.DeleteFunc(d.jobs, func(in *intake) bool {
		set, err := d.byName(in)
		if err != nil {
			d.refuse(in.path, err)
			return true
		}
		in.sets = []inputSet{set}
		return false
	})
	var left []*media
	for _, m := range d.media {
		if !m.named {
			left = append(left, m)
		}
	}
	for _, kind := range []jobfile.Media{jobfile.MediaImage, jobfile.MediaVideo, jobfile.MediaAudio} {
		var of []*media
		for _, m := range left {
			if m.kind == kind {
				of = append(of, m)
			}
		}
		if len(of) > 0 {
			d.deal(kind, of, which)
		}
	}
}

// byName gives the files that a job names. Of several files of one name it is the
// one in the job file's folder, else they have to be equal.
func (d *drop) byName(in *intake) (inputSet, *job.Error) {
	var set inputSet
	for _, r := range in.file.Reads() {
		var called []*media
		for _, m := range d.media {
			if filepath.Base(m.path) == baseOf(r.File) {
				m.named = true
				called = append(called, m)
			}
		}
		if len(called) == 0 {
			continue
		}
		m, err := theOne(called, in)
		if err != nil {
			return set, err
		}
		set.files = append(set.files, givenFile{r.Node, m.path})
	}
	return set, nil
}

// theOne chooses among files of one name for a job.
func theOne(called []*media, in *intake) (*media, *job.Error) {
	beside := slices.IndexFunc(called, func(m *media) bool { return filepath.Dir(m.path) == filepath.Dir(in.path) })
	switch {
	case len(called) == 1:
		return called[0], nil
	case beside >= 0:
		return called[beside], nil
	}
	first, same := sumOf(called[0].path), true
	paths := make([]string, len(called))
	for i, m := range called {
		paths[i] = m.path
		same = same && first != "" && sumOf(m.path) == first
	}
	if same {
		return called[0], nil
	}
	return nil, job.Errorf(job.ErrSameName, job.Args{
		Job: in.file.Title, File: filepath.Base(called[0].path), Count: len(called), Allowed: paths,
	}, nil)
}

// sumOf is the SHA-256 of a file that can be an input, or "".
func sumOf(path string) string {
	content, err := readInput(os.Open(path))
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// deal makes a batch of files that no job names: each takes the place of what
// the one node that can read it reads now.
func (d *drop) deal(kind jobfile.Media, files []*media, which string) {
	var taker *intake
	var nodes []jobfile.MediaInput
	takers := 0
	for _, in := range d.jobs {
		if of := nodesFor(in, kind, which); len(of) > 0 {
			taker, nodes = in, of
			takers++
		}
	}
	switch {
	case takers == 0:
		for _, m := range files {
			d.refuse(m.given, m.err)
		}
		return
	case takers > 1:
		for _, m := range files {
			d.refuse(m.given, job.Errorf(job.ErrWhichInput, job.Args{File: filepath.Base(m.path), Count: takers}, nil))
		}
		return
	case len(nodes) > 1:
		d.jobs = slices.DeleteFunc(d.jobs, func(in *intake) bool { return in == taker })
		d.refuse(taker.path, job.Errorf(job.ErrWhichInput, job.Args{
			File: filepath.Base(files[0].path), Job: taker.file.Title, Count: len(nodes), Allowed: titles(nodes),
		}, nil))
		return
	}
	node := nodes[0].Node
	var sets []inputSet
	for _, set := range taker.sets {
		rest := slices.DeleteFunc(slices.Clone(set.files), func(g givenFile) bool { return g.node == node })
		own := slices.DeleteFunc(slices.Clone(set.files), func(g givenFile) bool { return g.node != node })
		for _, m := range files {
			own = append(own, givenFile{node, m.path})
		}
		for _, g := range own {
			named := inputSet{files: append(slices.Clone(rest), g), inName: set.inName}
			if len(own) > 1 {
				stem := strings.TrimSuffix(filepath.Base(g.path), filepath.Ext(g.path))
				named.inName = strings.TrimPrefix(set.inName+" "+stem, " ")
			}
			sets = append(sets, named)
		}
	}
	taker.sets = sets
}

// nodesFor gives the nodes of a job that can take a kind of file: the one that
// the user named, or those for which none was dropped by name, or all.
func nodesFor(in *intake, kind jobfile.Media, which string) []jobfile.MediaInput {
	var all, open []jobfile.MediaInput
	for _, r := range in.file.Reads() {
		if r.Takes != kind && r.Takes != "" {
			continue
		}
		if which != "" && (r.Node == which || r.Title == which || labelled(r) == which) {
			return []jobfile.MediaInput{r}
		}
		all = append(all, r)
		if !slices.ContainsFunc(in.sets[0].files, func(g givenFile) bool { return g.node == r.Node }) {
			open = append(open, r)
		}
	}
	if len(open) > 0 {
		return open
	}
	return all
}

// labelled names a node with its id.
func labelled(n jobfile.MediaInput) string { return cmp.Or(n.Title, n.Class) + " (" + n.Node + ")" }

// titles names nodes so that each can be told from the others.
func titles(nodes []jobfile.MediaInput) []string {
	count := map[string]int{}
	for _, n := range nodes {
		count[n.Title]++
	}
	names := make([]string, len(nodes))
	for i, n := range nodes {
		names[i] = n.Title
		if n.Title == "" || count[n.Title] > 1 {
			names[i] = labelled(n)
		}
	}
	return names
}

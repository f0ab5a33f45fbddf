package scheduler

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reckoner/scheduler/core"
	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
	"reckoner/scheduler/jobfile"
)

// Add makes jobs of files and queues them. A file that cannot be read exactly is
// refused and queues nothing; see Added. The error is about the engine or the
// disk, never about a file.
func (e *Engine) Add(ctx context.Context, req AddRequest) (Added, error) {
	a := adding{
		e: e, req: req, out: Added{Batch: e.cfg.NewID()},
		past: map[string][]estimate.Run{},
	}
	if req.Resume {
		var err error
		if a.earlier, err = e.earlier(ctx); err != nil {
			return a.out, err
		}
	}
	drop := e.readAll(ctx, req)
	if err := a.giveLate(ctx, &drop); err != nil {
		return a.out, err
	}
	a.out.Refused = drop.refused
	for _, in := range drop.jobs {
		for _, w := range in.file.Warnings {
			a.out.Warned = append(a.out.Warned, Warning{File: in.path, Say: w})
		}
		if err := a.add(ctx, in); err != nil {
			return a.out, err
		}
	}
	if len(a.jobs) > 0 {
		if err := e.wait(ctx, core.JobsAdded{Jobs: a.jobs, Past: a.past}); err != nil {
			return a.out, fmt.Errorf("queue %d jobs: %w", len(a.jobs), err)
		}
	}
	err := e.ask(ctx, a.collect)
	return a.out, err
}

// adding is the work of one AddRequest.
type adding struct {
	e       *Engine
	req     AddRequest
	out     Added
	jobs    []job.Job
	past    map[string][]estimate.Run
	resumed []job.ID
	earlier *earlier // for AddRequest.Resume
}

// add makes the jobs of a file, or finds those that stand for it: one for each
// set of input files, as often as was asked.
func (a *adding) add(ctx context.Context, in *intake) error {
	for _, given := range in.sets {
		inputs, err := a.e.keepInputs(ctx, in, given)
		if err != nil {
			return err
		}
		for copyNumber := range max(1, a.req.Repeat) {
			if a.req.Resume {
				if j := a.earlier.find(in, inputs, copyNumber); j != nil {
					a.resumed = append(a.resumed, j.ID)
					continue
				}
			}
			j, err := a.e.makeJob(ctx, in, a.req, a.out.Batch, copyNumber)
			if err != nil {
				return err
			}
			j.Inputs = inputs
			if given.inName != "" {
				j.Name += " - " + given.inName
			}
			j.Why = a.e.missing(ctx, &j)
			a.jobs = append(a.jobs, j)
		}
	}
	return a.e.addPast(ctx, in.file.Type.Key, a.past)
}

// collect reads what became of the jobs.
func (a *adding) collect(s *core.State) {
	for i := range a.jobs {
		if j := s.Job(a.jobs[i].ID); j != nil {
			a.out.Jobs = append(a.out.Jobs, j)
		}
	}
	for _, id := range a.resumed {
		if j := s.Job(id); j != nil {
			a.out.Resumed = append(a.out.Resumed, j)
		}
	}
}

// intake is a job file that was read.
type intake struct {
	path string // absolute
	hash string // of file.Source: see job.Job.Source
	file jobfile.File
	// sets are the files that were dropped for its inputs: a job for each.
	sets []inputSet
}

// read reads a job file, and makes a job of a workflow in the page's own format
// where a server tells its classes now.
func (e *Engine) read(ctx context.Context, path string, servers []job.ID, page bool) (*intake, *job.Error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, job.Errorf(job.ErrUnreadable, job.Args{File: path, Detail: err.Error()}, err)
	}
	file, jerr := readFile(abs)
	if jerr != nil {
		return nil, jerr
	}
	if page {
		file = file.PreferWorkflow()
	}
	if file.NeedsClasses() {
		if file, jerr = e.convert(ctx, file, servers); jerr != nil {
			jerr.Args.File = filepath.Base(abs)
			return nil, jerr
		}
	}
	if asks, some := jobfile.AskAnAccount(file.Graph, e.hosts.atHand()); some {
		file.Warnings = append(slices.Clip(file.Warnings), asks)
	}
	sum := sha256.Sum256(file.Source)
	return &intake{path: abs, hash: hex.EncodeToString(sum[:]), file: file}, nil
}

// readFile reads what a file holds. Of a large video only headers are read.
func readFile(path string) (jobfile.File, *job.Error) {
	unreadable := func(err error) *job.Error {
		return job.Errorf(job.ErrUnreadable, job.Args{File: filepath.Base(path), Detail: err.Error()}, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return jobfile.File{}, unreadable(err)
	}
	switch {
	case info.IsDir():
		return jobfile.File{}, job.Errorf(job.ErrFolder, job.Args{File: filepath.Base(path)}, nil)
	case !info.Mode().IsRegular():
		return jobfile.File{}, unreadable(errors.New("not a regular file"))
	}
	f, err := os.Open(path)
	if err != nil {
		return jobfile.File{}, unreadable(err)
	}
	defer f.Close()
	file, err := jobfile.ReadFrom(f, info.Size(), filepath.Base(path))
	if err != nil {
		return jobfile.File{}, asError(err, job.ErrUnreadable)
	}
	return file, nil
}

// makeJob keeps a file's content and makes a job of it.
func (e *Engine) makeJob(
	ctx context.Context, in *intake, req AddRequest, batch job.ID, copyNumber int,
) (job.Job, error) {
	source, err := e.cfg.Store.PutBlob(ctx, in.file.Source)
	if err != nil {
		return job.Job{}, fmt.Errorf("keep %s: %w", in.path, err)
	}
	graph, needs := "", ""
	sent, page := e.filled(in.file)
	if !in.file.NeedsClasses() {
		needs = jobfile.NeedsOf(in.file.Graph)
		if graph, err = e.cfg.Store.PutBlob(ctx, sent); err != nil {
			return job.Job{}, fmt.Errorf("keep the workflow of %s: %w", in.path, err)
		}
	}
	workflow := ""
	if in.file.SameWorkflow() {
		if workflow, err = e.cfg.Store.PutBlob(ctx, page); err != nil {
			return job.Job{}, fmt.Errorf("keep the page's workflow of %s: %w", in.path, err)
		}
	}
	limit := req.Limit
	if limit.Kind == "" {
		limit.Kind = job.LimitDefault
	}
	out, names := e.resultsOf(req)
	return job.Job{
		ID: e.cfg.NewID(), Batch: batch, Name: in.file.Title, File: in.path, Source: source, Graph: graph, Workflow: workflow,
		Type: in.file.Type, Servers: req.Servers, Limit: limit, OutDir: out, Names: names, BatchName: batchName(req),
		Copy: copyNumber, SendAnyway: req.SendAnyway, Nodes: len(in.file.Graph.Nodes), Loaders: loaders(in.file.Graph),
		Samplers: jobfile.SamplersOf(in.file.Graph),
		Needs:    needs, Unconverted: in.file.NeedsClasses(), State: job.JobWaiting,
	}, nil
}

// filled gives a file's graph as it is sent, and its page's workflow, with the
// texts completed that the page completes anew for each job. What the page draws
// stands in its own workflow too, so that a result tells what it was made of.
func (e *Engine) filled(f jobfile.File) (graph json.RawMessage, workflow jobfile.Workflow) {
	if len(f.PageTexts) == 0 {
		return f.Graph.Raw, f.Workflow
	}
	draw := func(n int) int { return int(randomNumber() % uint64(n)) } //nolint:gosec // both are small
	changes := jobfile.FillTexts(f.Graph, f.PageTexts, draw, e.cfg.Clock.Now().Wall.Local())
	drawn := slices.DeleteFunc(slices.Clone(changes), func(c jobfile.Change) bool {
		return !slices.Contains(f.PageTexts, jobfile.PageText{Node: c.Node, Input: c.Input, Choices: true})
	})
	return jobfile.ChangeGraph(f.Graph.Raw, changes), jobfile.ChangeWorkflow(f.Workflow, drawn)
}

// batchName names the folder of a batch after its first file.
func batchName(req AddRequest) string {
	if len(req.Files) == 0 {
		return ""
	}
	base := filepath.Base(req.Files[0])
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// addPast reads the past runs of a job type, once.
func (e *Engine) addPast(ctx context.Context, key string, past map[string][]estimate.Run) error {
	if _, done := past[key]; done || key == "" {
		return nil
	}
	runs, err := e.cfg.Store.PastRuns(ctx, key, pastRuns)
	if err != nil {
		return fmt.Errorf("load past runs: %w", err)
	}
	past[key] = runs
	return nil
}

// loaders gives the nodes that load model files: on a cold start they are not in
// the server's cache.
func loaders(g job.Graph) []string {
	var ids []string
	for _, n := range g.Nodes {
		if !strings.Contains(n.Class, "Loader") {
			continue
		}
		for _, in := range n.Inputs {
			if isModelFile(strings.ToLower(strings.Trim(string(in.Value), `"`))) {
				ids = append(ids, n.ID)
				break
			}
		}
	}
	return ids
}

// isModelFile knows model files by their endings (comfyui-protocol, 5.6).
func isModelFile(name string) bool {
	for _, end := range []string{
		".safetensors", ".ckpt", ".pt", ".pt2", ".bin", ".pth", ".sft", ".pkl", ".gguf",
	} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

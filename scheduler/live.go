package scheduler

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"reckoner/scheduler/job"
)

// maxLive bounds how many pictures of one run are kept that come only over the
// websocket.
const maxLive = 1000

// live keeps the pictures that nodes such as SaveImageWebsocket send over the
// socket only: those messages are the only copy (comfyui-protocol, 2.5).
type live struct {
	mu   sync.Mutex
	runs map[string]*liveRun // by prompt id
}

// liveRun is what came of one run, and which of its nodes send results so.
type liveRun struct {
	nodes map[string]bool
	refs  []job.OutputRef
}

// expect gets ready for what the nodes of a graph send.
func (l *live) expect(prompt job.ID, graph json.RawMessage) {
	var nodes map[string]struct {
		Class string `json:"class_type"`
	}
	if json.Unmarshal(graph, &nodes) != nil {
		return
	}
	run := &liveRun{nodes: map[string]bool{}}
	for id, n := range nodes {
		if strings.Contains(strings.ToLower(n.Class), "websocket") {
			run.nodes[id] = true
		}
	}
	if len(run.nodes) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.runs == nil {
		l.runs = map[string]*liveRun{}
	}
	l.runs[string(prompt)] = run
}

// wants tells whether a picture is a result.
func (l *live) wants(n job.News) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	run := l.runs[n.PromptID]
	return n.Kind == job.NewsImage && run != nil && run.nodes[n.Node] && len(run.refs) < maxLive
}

// keep notes a picture that is kept in blobs.
func (l *live) keep(n job.News, blob string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if run := l.runs[n.PromptID]; run != nil {
		run.refs = append(run.refs, job.OutputRef{
			Node: n.Node, Kind: "images", Type: job.ViaSocket, Subfolder: blob,
			Filename: fmt.Sprintf("picture_%05d.png", len(run.refs)+1),
		})
	}
}

// called notes that a server calls a prompt otherwise than we asked.
func (l *live) called(asked job.ID, prompt string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if run := l.runs[string(asked)]; run != nil && prompt != "" {
		l.runs[prompt] = run
	}
}

// of gives what came of a prompt.
func (l *live) of(prompt string) []job.OutputRef {
	l.mu.Lock()
	defer l.mu.Unlock()
	if run := l.runs[prompt]; run != nil {
		return slices.Clone(run.refs)
	}
	return nil
}

// forget lets go of a run that has ended: its results are here, or will not be.
func (l *live) forget(asked job.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	run := l.runs[string(asked)]
	maps.DeleteFunc(l.runs, func(_ string, r *liveRun) bool { return r == run })
}

// hearLive keeps a picture that came over a socket, before the message that says
// that its run is over can be heard.
func (e *Engine) hearLive(ctx context.Context, n job.News) {
	if !e.hosts.live.wants(n) {
		return
	}
	blob, err := e.cfg.Store.PutBlob(ctx, n.Image)
	if err != nil {
		e.log.Error("a picture that came over the websocket was lost", "prompt_id", n.PromptID, "err", err)
		return
	}
	e.hosts.live.keep(n, blob)
}

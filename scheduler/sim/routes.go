package sim

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// answer writes a reply of a content type; an empty type means an empty body.
func answer(w http.ResponseWriter, status int, kind string, body []byte) {
	if kind == "" {
		kind = "application/octet-stream"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	// A client that has gone is no concern of the server's.
	_, _ = w.Write(body) //nolint:gosec // G705: the real server repeats what it was sent, and so must its peer
}

func answerJSON(w http.ResponseWriter, status int, v any) {
	answer(w, status, "application/json; charset=utf-8", encode(v))
}

func answerText(w http.ResponseWriter, status int, text string) {
	answer(w, status, "text/plain; charset=utf-8", []byte(text))
}

func answerFault(w http.ResponseWriter) {
	answerText(w, http.StatusInternalServerError, "500 Internal Server Error\n\nServer got itself in trouble")
}

// route finds the handler of a request. Every path exists with and without
// /api, except the newer job routes.
func (p *process) route(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if r.Method == http.MethodOptions {
		answer(w, http.StatusOK, "", nil)
		return
	}
	if p.srv.proto.jobsAPI && strings.HasPrefix(path, "/api/jobs") {
		p.jobs(w, r, strings.TrimPrefix(path, "/api/jobs"))
		return
	}
	if p.srv.proto.apiPrefix {
		path = strings.TrimPrefix(path, "/api")
	}
	get := r.Method == http.MethodGet || r.Method == http.MethodHead
	head, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch {
	case get && p.get(w, r, head, rest):
	case r.Method == http.MethodPost && p.post(w, r, path):
	case get:
		answer(w, http.StatusNotFound, "", nil)
	default:
		w.Header().Set("Allow", "GET,HEAD")
		answerText(w, http.StatusMethodNotAllowed, "405: Method Not Allowed")
	}
}

func (p *process) get(w http.ResponseWriter, r *http.Request, head, rest string) bool {
	switch {
	case head == "signed" && p.srv.proto.front.cloud:
		p.signed(w, r)
	case head == "history" && rest != "":
		p.oneHistory(w, rest)
	case head == "object_info":
		p.objectInfo(w, rest)
	case head == "models" && p.srv.proto.models:
		return p.models(w, rest)
	case rest != "":
		return false
	case head == "ws":
		if status := p.srv.faults.get().SocketStatus; status != 0 {
			answer(w, status, "", nil)
			break
		}
		p.socket(w, r)
	case head == "prompt":
		p.mu.Lock()
		info := p.info()
		p.mu.Unlock()
		answerJSON(w, http.StatusOK, info)
	case head == "queue":
		p.queue(w)
	case head == "history":
		p.historyPage(w, r)
	case head == "view" && p.srv.proto.front.cloud:
		redirectToFile(w, r)
	case head == "view":
		p.view(w, r)
	case head == "system_stats":
		answerJSON(w, http.StatusOK, p.srv.stats())
	case head == "embeddings":
		answerJSON(w, http.StatusOK, list())
	case head == "features" && p.srv.proto.features:
		answerJSON(w, http.StatusOK, p.srv.features())
	default:
		return false
	}
	return true
}

func (p *process) post(w http.ResponseWriter, r *http.Request, path string) bool {
	switch path {
	case "/prompt":
		p.withBody(w, r, p.postPrompt)
	case "/queue":
		p.withBody(w, r, p.postQueue)
	case "/history":
		p.withBody(w, r, p.postHistory)
	case "/free":
		p.withBody(w, r, p.postFree)
	case "/interrupt":
		p.postInterrupt(w, r)
	case "/upload/image":
		p.upload(w, r)
	default:
		return false
	}
	return true
}

// readBody reads a request's body; it answers 413 itself.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		answerUnread(w, r, err)
		return nil, false
	}
	return b, true
}

// answerUnread answers a request whose body could not be read.
func answerUnread(w http.ResponseWriter, r *http.Request, err error) {
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); !tooLarge {
		answerFault(w)
		return
	}
	answerText(w, http.StatusRequestEntityTooLarge, fmt.Sprintf(
		"Maximum request body size %d exceeded, actual body size %d", maxUpload, max(r.ContentLength, maxUpload+1)))
}

// withBody runs a handler on the body's JSON object. Whatever is not one makes
// the real server stumble: 500.
func (p *process) withBody(w http.ResponseWriter, r *http.Request, h func(http.ResponseWriter, *object)) {
	b, ok := readBody(w, r)
	if !ok {
		return
	}
	v, err := decode(b)
	body, isObject := v.(*object)
	if err != nil || !isObject {
		answerFault(w)
		return
	}
	h(w, body)
}

func (p *process) queue(w http.ResponseWriter) {
	if p.srv.faults.otherPod() {
		answerJSON(w, http.StatusOK, obj("queue_running", list(), "queue_pending", list()))
		return
	}
	p.mu.Lock()
	running, pending := list(), list()
	if p.running != nil {
		running = append(running, p.tuple(p.running, p.running.extra))
	}
	for _, it := range p.waiting {
		extra := it.extra
		if p.srv.proto.jobsAPI {
			extra = withoutSecrets(extra)
		}
		pending = append(pending, p.tuple(it, extra))
	}
	p.mu.Unlock()
	answerJSON(w, http.StatusOK, obj("queue_running", running, "queue_pending", pending))
}

// each calls f for every id of a list under key.
func each(body *object, key string, f func(id string)) bool {
	v, ok := body.get(key)
	if !ok {
		return true
	}
	ids, ok := v.([]any)
	for _, id := range ids {
		f(pyText(id))
	}
	return ok
}

func (p *process) postQueue(w http.ResponseWriter, body *object) {
	if v, ok := body.get("clear"); ok && truthy(v) {
		p.remove("")
	}
	if !each(body, "delete", func(id string) { p.remove(id) }) {
		answerFault(w)
		return
	}
	answer(w, http.StatusOK, "", nil)
}

func (p *process) postHistory(w http.ResponseWriter, body *object) {
	if v, ok := body.get("clear"); ok && truthy(v) {
		p.forget("")
	}
	if !each(body, "delete", p.forget) {
		answerFault(w)
		return
	}
	answer(w, http.StatusOK, "", nil)
}

func (p *process) postFree(w http.ResponseWriter, body *object) {
	models, _ := body.get("unload_models")
	cache, _ := body.get("free_memory")
	p.mu.Lock()
	p.freeModels = p.freeModels || truthy(models)
	p.freeCache = p.freeCache || truthy(cache)
	p.mu.Unlock()
	p.poke()
	answer(w, http.StatusOK, "", nil)
}

// postInterrupt sets the interrupt flag. The body is optional, and what cannot
// be read counts as none; servers before 0.3.57 do not look at it at all.
func (p *process) postInterrupt(w http.ResponseWriter, r *http.Request) {
	b, ok := readBody(w, r)
	if !ok {
		return
	}
	id := ""
	if p.srv.proto.targetedStop {
		v, err := decode(b)
		if _, isList := v.([]any); isList && err == nil {
			answerFault(w)
			return
		}
		body, _ := v.(*object)
		if v, ok := body.get("prompt_id"); ok && truthy(v) {
			id = pyText(v)
		}
	}
	p.interrupt(id)
	answer(w, http.StatusOK, "", nil)
}

func (p *process) oneHistory(w http.ResponseWriter, id string) {
	out := obj()
	if p.srv.faults.otherPod() {
		answerJSON(w, http.StatusOK, out)
		return
	}
	p.mu.Lock()
	if e, ok := p.history[id]; ok {
		out.set(id, e)
	}
	p.mu.Unlock()
	answerJSON(w, http.StatusOK, out)
}

// historyPage lists the record. max_items counts from the newest, but with an
// offset, which counts from the oldest, both make a window.
func (p *process) historyPage(w http.ResponseWriter, r *http.Request) {
	maxItems, offset := -1, -1
	for key, into := range map[string]*int{"max_items": &maxItems, "offset": &offset} {
		text := r.URL.Query().Get(key)
		if text == "" || key == "offset" && !p.srv.proto.historyOffset {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			answerFault(w)
			return
		}
		*into = n
	}
	out := obj()
	p.mu.Lock()
	if offset < 0 && maxItems >= 0 {
		offset = len(p.historyKeys) - maxItems
	}
	for i, id := range p.historyKeys {
		if i >= offset && (maxItems < 0 || len(out.keys) < maxItems) {
			out.set(id, p.history[id])
		}
	}
	p.mu.Unlock()
	answerJSON(w, http.StatusOK, out)
}

func (p *process) objectInfo(w http.ResponseWriter, name string) {
	out, s := obj(), p.srv
	uploads := s.files.names("input")
	for _, n := range s.classes.names {
		if name == "" || name == n {
			info := s.classes.classes[n].info(s.proto, uploads)
			if s.faults.get().NaN {
				info.set("essential_weight", math.Inf(1))
			}
			out.set(n, info)
		}
	}
	answerJSON(w, http.StatusOK, out)
}

var modelFolders = []string{
	"checkpoints", "configs", "loras", "vae", "text_encoders", "diffusion_models", "clip_vision", "style_models",
	"embeddings", "diffusers", "vae_approx", "controlnet", "gligen", "upscale_models", "custom_nodes", "hypernetworks",
	"photomaker", "classifiers", "model_patches", "audio_encoders",
}

func (p *process) models(w http.ResponseWriter, folder string) bool {
	if folder == "" {
		answerJSON(w, http.StatusOK, strList(modelFolders))
		return true
	}
	if !slices.Contains(modelFolders, folder) {
		return false
	}
	files, ok := p.srv.classes.folders.get(folder)
	if !ok {
		files = list()
	}
	answerJSON(w, http.StatusOK, files)
	return true
}

// socket opens a websocket. A client that names no id is given one.
func (p *process) socket(w http.ResponseWriter, r *http.Request) {
	sid := r.URL.Query().Get("clientId")
	if sid == "" {
		sid = strings.ReplaceAll(newUUID(), "-", "")
	}
	var flags *object
	if p.srv.proto.features {
		flags = p.srv.features()
	}
	p.hub.serveSocket(w, r, sid, func() []message {
		p.mu.Lock()
		defer p.mu.Unlock()
		first := []message{{kind: "status", data: obj("status", p.info(), "sid", sid)}}
		if p.client != nil && *p.client == sid && p.lastNode != "" {
			first = append(first, message{kind: "executing", data: obj("node", p.lastNode)})
		}
		return first
	}, flags)
}

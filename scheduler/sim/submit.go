package sim

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
)

// newUUID makes a version 4 UUID.
func newUUID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

var canonicalUUID = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

func (p *process) postPrompt(w http.ResponseWriter, body *object) {
	faults := &p.srv.faults
	if faults.spend(func(f *Faults) *int { return &f.FailSubmissions }) {
		answerFault(w)
		return
	}
	status, reply := p.submit(body)
	switch {
	case reply == nil:
		answerFault(w)
	case status == http.StatusOK && faults.spend(func(f *Faults) *int { return &f.LoseReplies }):
		hangUp(w)
	case status == http.StatusOK && faults.spend(func(f *Faults) *int { return &f.GatewayTimeouts }):
		errorPage(w, http.StatusGatewayTimeout, "504 Gateway Time-out")
	default:
		answerJSON(w, status, reply)
	}
}

// submit takes a prompt as POST /prompt does. A nil reply is a 500.
func (p *process) submit(body *object) (status int, reply *object) {
	it := &item{}
	if !p.setNumber(it, body) {
		return http.StatusInternalServerError, nil
	}
	v, ok := body.get("prompt")
	if !ok {
		return p.refuse(&refusal{problem("no_prompt", "No prompt provided", "No prompt provided", obj()), obj()})
	}
	if it.prompt, ok = v.(*object); !ok || !nodesOnly(it.prompt) {
		return http.StatusInternalServerError, nil
	}
	if no := p.setID(it, body); no != nil {
		return p.refuse(no)
	}
	partial, ok := partialTargets(body)
	if !ok {
		return http.StatusInternalServerError, nil
	}
	if !p.srv.proto.partialTargets {
		partial = nil
	}
	check := validator{
		cat: p.srv.classes, proto: p.srv.proto, prompt: it.prompt,
		exists: func(name string) bool { return p.srv.files.hasInput(p.srv.slashed(name)) },
	}
	outputs, nodeErrors, no := check.validate(partial)
	if no != nil {
		return p.refuse(no)
	}
	it.outputs = outputs
	if !p.setExtra(it, body) {
		return http.StatusInternalServerError, nil
	}
	p.enqueue(it)
	return http.StatusOK, obj("prompt_id", it.id, "number", it.written, "node_errors", nodeErrors)
}

// setNumber gives the prompt its place: the sender's number, else the counter,
// which advances even when the prompt is then refused.
func (p *process) setNumber(it *item, body *object) bool {
	if v, ok := body.get("number"); ok {
		f, err := coerce("FLOAT", v)
		if err != "" {
			return false
		}
		it.number, it.written = f.(float64), f
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.counter
	p.counter++
	if v, ok := body.get("front"); ok && truthy(v) {
		n = -n
	}
	it.number, it.written = float64(n), n
	return true
}

func (p *process) setID(it *item, body *object) *refusal {
	it.id = newUUID()
	v, ok := body.get("prompt_id")
	if !ok || !p.srv.proto.ownIDs {
		return nil
	}
	if !p.srv.proto.canonicalIDs {
		it.id = pyText(v) // null becomes "None", as Python has it
		return nil
	}
	if v == nil {
		return nil
	}
	id, isText := v.(string)
	if !isText || !canonicalUUID.MatchString(id) {
		return &refusal{problem("invalid_prompt_id", "prompt_id must be a valid UUID",
			"prompt_id must be a UUID string in canonical lowercase hyphenated form; omit it to let the server generate one",
			obj()), obj()}
	}
	it.id = id
	return nil
}

func (p *process) setExtra(it *item, body *object) bool {
	it.extra = obj()
	client, hasClient := body.get("client_id")
	if v, ok := body.get("extra_data"); ok {
		extra, isObject := v.(*object)
		switch {
		case isObject:
			it.extra = extra
		case v != nil || hasClient || p.srv.proto.createTime:
			return false
		}
	}
	if hasClient {
		it.extra.set("client_id", client)
	}
	if p.srv.proto.createTime {
		it.extra.set("create_time", p.srv.stamp())
	}
	return true
}

// refuse answers with a refusal in the words of the server's version.
func (p *process) refuse(no *refusal) (int, *object) {
	reply := obj("error", no.err, "node_errors", no.nodeErrors)
	if p.srv.proto.plainNoPrompt {
		if no.err.text("type") == "no_prompt" {
			reply.set("error", "no prompt")
		}
		if len(no.nodeErrors.keys) == 0 && no.err.text("type") != "prompt_outputs_failed_validation" {
			reply.set("node_errors", list())
		}
	}
	return http.StatusBadRequest, reply
}

func partialTargets(body *object) ([]string, bool) {
	v, ok := body.get("partial_execution_targets")
	if !ok || v == nil {
		return nil, true
	}
	ids, ok := v.([]any)
	out := make([]string, 0, len(ids))
	for _, id := range ids {
		out = append(out, pyText(id))
	}
	return out, ok
}

// nodesOnly tells whether every entry of a prompt can be looked into. A
// workflow in the page's own format has numbers there, on which the real server
// stumbles; texts and lists it takes for nodes without a class.
func nodesOnly(prompt *object) bool {
	for _, id := range prompt.keys {
		switch prompt.vals[id].(type) {
		case *object:
		case string, []any:
			prompt.set(id, obj())
		default:
			return false
		}
		if o := prompt.object(id); o != nil && len(o.keys) == 0 {
			return true // refused for this node before the next one is looked at
		}
	}
	return true
}

// stats is the reply of /system_stats.
func (s *Server) stats() *object {
	const ram = 64 << 30
	g := s.gpu.sample()
	system := obj("os", s.os())
	if s.proto.version != "" {
		system.set("ram_total", ram)
		system.set("ram_free", ram-21<<30)
		system.set("comfyui_version", s.proto.version)
	}
	switch {
	case s.proto.jobsAPI:
		system.set("required_frontend_version", "1.45.20")
		system.set("installed_templates_version", nil)
		system.set("required_templates_version", "0.11.9")
		system.set("comfy_package_versions", list())
	case s.proto.historyOffset:
		system.set("required_frontend_version", "1.27.10")
		system.set("installed_templates_version", "0.1.95")
		system.set("required_templates_version", "0.1.95")
	}
	system.set("python_version", "3.13.5 (main, Aug 10 2026, 12:06:59) [GCC 14.2.0]")
	if s.proto.version != "" {
		system.set("pytorch_version", "2.8.0+cu128")
	}
	system.set("embedded_python", false)
	if s.proto.jobsAPI {
		system.set("deploy_environment", "local-git")
	}
	if s.proto.version != "" {
		system.set("argv", list("main.py", "--listen"))
	}
	if s.proto.front.cloud {
		system.set("cloud_version", "1.0.0")
	}
	own := int64(0)
	for _, a := range g.apps {
		if a.server == s.Name() {
			own = a.used
		}
	}
	device := obj("name", "cuda:"+strconv.Itoa(s.spec.GPU)+" "+s.gpu.spec.Name+" : cudaMallocAsync", "type", "cuda",
		"index", s.spec.GPU, "vram_total", g.total, "vram_free", g.total-g.used,
		"torch_vram_total", own, "torch_vram_free", own/20)
	return obj("system", system, "devices", list(device))
}

// os is the system's name as Python's version at hand has it.
func (s *Server) os() string {
	switch {
	case !s.spec.Windows:
		return s.proto.os
	case s.proto.jobsAPI:
		return "win32"
	}
	return "nt"
}

func (s *Server) features() *object {
	f := obj("supports_preview_metadata", true)
	if s.proto.jobsAPI {
		f.set("supports_model_type_tags", true)
	}
	f.set("max_upload_size", maxUpload)
	if s.proto.jobsAPI {
		f.set("extension", obj("manager", obj("supports_v4", true)))
		f.set("node_replacements", true)
		f.set("assets", false)
	}
	return f
}

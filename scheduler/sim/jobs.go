package sim

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// The job routes of 2026: one list of what waits, runs and has ended, and
// cancelling by id in whichever of these states.

// jobs answers /api/jobs and what is under it.
func (p *process) jobs(w http.ResponseWriter, r *http.Request, rest string) {
	rest = strings.TrimPrefix(rest, "/")
	id, cancel := strings.CutSuffix(rest, "/cancel")
	switch {
	case r.Method == http.MethodPost && rest == "cancel":
		p.withBody(w, r, p.cancelMany)
	case r.Method == http.MethodPost && cancel:
		p.cancelOne(w, id)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET,HEAD")
		answerText(w, http.StatusMethodNotAllowed, "405: Method Not Allowed")
	case rest == "":
		p.listJobs(w, r)
	default:
		p.oneJob(w, rest)
	}
}

func (p *process) cancelJob(id string) bool { return p.remove(id) || p.interrupt(id) }

func (p *process) cancelOne(w http.ResponseWriter, id string) {
	if !canonicalUUID.MatchString(id) {
		answerJSON(w, http.StatusBadRequest, obj("error", "job_id must be a valid UUID"))
		return
	}
	removed := p.remove(id)
	if removed { // told a second time, as recorded
		p.mu.Lock()
		p.tellStatus()
		p.mu.Unlock()
	}
	done := removed || p.interrupt(id)
	answerJSON(w, http.StatusOK, obj("cancelled", done))
}

func (p *process) cancelMany(w http.ResponseWriter, body *object) {
	v, _ := body.get("job_ids")
	ids, ok := v.([]any)
	for _, id := range ids {
		ok = ok && canonicalUUID.MatchString(pyText(id))
	}
	if !ok {
		answerJSON(w, http.StatusBadRequest, obj("error", "job_ids must be a list of valid UUIDs"))
		return
	}
	done := false
	for _, id := range ids {
		done = p.cancelJob(pyText(id)) || done
	}
	answerJSON(w, http.StatusOK, obj("cancelled", done))
}

// snapshot lists all jobs, the newest submission first.
func (p *process) snapshot() []*object {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []*object
	live := func(it *item, status string) {
		o := obj("id", it.id, "status", status, "priority", it.written)
		if at, ok := it.extra.get("create_time"); ok {
			o.set("create_time", at)
		}
		o.set("outputs_count", 0)
		out = append(out, o)
	}
	for _, it := range slices.Backward(p.waiting) {
		live(it, "pending")
	}
	if p.running != nil {
		live(p.running, "in_progress")
	}
	for _, id := range slices.Backward(p.historyKeys) {
		out = append(out, endedJob(id, p.history[id]))
	}
	return out
}

// endedJob makes a job of a record.
func endedJob(id string, record *object) *object {
	tuple := record.vals["prompt"].([]any)
	o := obj("id", id, "status", "completed", "priority", tuple[0])
	if at, ok := tuple[3].(*object).get("create_time"); ok {
		o.set("create_time", at)
	}
	messages := record.object("status").vals["messages"].([]any)
	for _, m := range messages {
		kind, data := m.([]any)[0].(string), m.([]any)[1].(*object)
		switch kind {
		case "execution_start":
			o.set("execution_start_time", data.vals["timestamp"])
			continue
		case "execution_cached":
			continue
		case "execution_interrupted":
			o.set("status", "cancelled")
		case "execution_error":
			o.set("status", "failed")
		}
		o.set("execution_end_time", data.vals["timestamp"])
		if kind == "execution_error" {
			o.set("execution_error", data)
		}
	}
	count := 0
	var first *object
	for _, node := range record.object("outputs").keys {
		images, _ := record.object("outputs").object(node).vals["images"].([]any)
		count += len(images)
		if first == nil && len(images) > 0 {
			first = images[0].(*object).clone()
			first.set("nodeId", node)
			first.set("mediaType", "images")
		}
	}
	o.set("outputs_count", count)
	if first != nil {
		o.set("preview_output", first)
	}
	return o
}

func (p *process) listJobs(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	limit, offset := -1, 0
	for name, into := range map[string]*int{"limit": &limit, "offset": &offset} {
		if !q.Has(name) {
			continue
		}
		n, err := strconv.Atoi(q.Get(name))
		if err != nil || n < 0 {
			answerJSON(w, http.StatusBadRequest, obj("error", name+" must be a non-negative integer"))
			return
		}
		*into = n
	}
	all := p.snapshot()
	picked, total := list(), 0
	for _, j := range all {
		if want := q.Get("status"); want != "" && !strings.Contains(","+want+",", ","+j.text("status")+",") {
			continue
		}
		total++
		if total > offset && (limit < 0 || len(picked) < limit) {
			picked = append(picked, j)
		}
	}
	var shown any
	if limit >= 0 {
		shown = limit
	}
	answerJSON(w, http.StatusOK, obj("jobs", picked, "pagination",
		obj("offset", offset, "limit", shown, "total", total, "has_more", offset+len(picked) < total)))
}

func (p *process) oneJob(w http.ResponseWriter, id string) {
	for _, j := range p.snapshot() {
		if j.text("id") != id {
			continue
		}
		p.mu.Lock()
		record := p.history[id]
		p.mu.Unlock()
		if record != nil {
			j.set("outputs", record.vals["outputs"])
			j.set("execution_status", record.vals["status"])
			tuple := record.vals["prompt"].([]any)
			j.set("workflow", obj("prompt", tuple[2], "extra_data", tuple[3]))
		}
		answerJSON(w, http.StatusOK, j)
		return
	}
	answerJSON(w, http.StatusNotFound, obj("error", "Job not found"))
}

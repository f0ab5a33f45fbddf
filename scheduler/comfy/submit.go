package comfy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"reckoner/scheduler/job"
)

// Submit sends a prompt once. The graph's bytes go out as they are: seeds of 64
// bits and the order of keys are the file's own.
//
// Errors before anything was sent are job.ErrUnreachable and job.ErrTLS. With
// job.ErrOutcomeUnknown the server may have taken it: the answer was lost, or a
// proxy answered in the server's place. With any other code it was not taken.
func (c *Client) Submit(ctx context.Context, s job.Submission) (job.Receipt, error) {
	q := post("/prompt", nil)
	q.limit, q.within, q.once = promptReply, submitWait, true
	var err error
	if q.body, err = submission(s); err != nil {
		return job.Receipt{}, c.fail(job.ErrNotWorkflow, q, job.Args{Detail: err.Error()}, nil)
	}
	prefix, err := c.api(ctx)
	if err != nil {
		return job.Receipt{}, err
	}
	a, err := c.send(ctx, prefix, q)
	if err != nil {
		return job.Receipt{}, err
	}
	if a.status == http.StatusBadRequest && !looksLikePage(a) {
		return job.Receipt{}, c.refusal(q, a, s.Graph)
	}
	if err := c.judge(q, a); err != nil {
		return job.Receipt{}, err
	}
	if looksLikePage(a) {
		return job.Receipt{}, c.answered(job.ErrNotComfy, q, a)
	}
	receipt, ok := decodeReceipt(plainJSON(a.body), s.Graph)
	if !ok { // it said yes, but not in words we know
		return job.Receipt{}, c.answered(job.ErrOutcomeUnknown, q, a)
	}
	if receipt.PromptID != string(s.PromptID) {
		c.log.DebugContext(ctx, "server chose its own id", "asked_for", s.PromptID, "prompt_id", receipt.PromptID)
	}
	return receipt, nil
}

var errNoObject = errors.New("the workflow is not a JSON object")

// submission builds the body by hand, because encoding/json would compact the
// graph.
func submission(s job.Submission) ([]byte, error) {
	graph := bytes.TrimSpace(s.Graph.Raw)
	if len(graph) == 0 || graph[0] != '{' || !json.Valid(graph) {
		return nil, errNoObject
	}
	rest, err := json.Marshal(struct {
		PromptID  job.ID         `json:"prompt_id"`
		ClientID  string         `json:"client_id"`
		ExtraData map[string]any `json:"extra_data"`
	}{s.PromptID, s.ClientID, extraData(s)})
	if err != nil {
		return nil, err
	}
	body := make([]byte, 0, len(graph)+len(rest)+16)
	body = append(body, `{"prompt":`...)
	body = append(body, graph...)
	body = append(body, ',')
	return append(body, rest[1:]...), nil
}

// extraData is what goes along with a prompt: our tag, and the page's workflow
// for the server to write into what it makes (comfyui-protocol, 5.5).
func extraData(s job.Submission) map[string]any {
	extra := map[string]any{"reckoner": s.Tag}
	if len(s.Workflow) > 0 {
		extra["extra_pnginfo"] = map[string]json.RawMessage{"workflow": s.Workflow}
	}
	return extra
}

func decodeReceipt(raw []byte, g job.Graph) (job.Receipt, bool) {
	o, ok := asObject(raw)
	if !ok || o.text("prompt_id") == "" {
		return job.Receipt{}, false
	}
	r := job.Receipt{PromptID: o.text("prompt_id"), Faults: decodeFaults(o["node_errors"], g)}
	r.Number, _ = o.number("number")
	return r, true
}

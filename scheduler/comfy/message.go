package comfy

import "reckoner/scheduler/job"

// listener reads what one socket says. It remembers what is needed to know whom
// the next message is about; another socket starts with another listener.
type listener struct {
	// prompt and node are those of the last `executing`, for messages without
	// ids: steps before 2024, and previews of type 1. They are empty between
	// prompts, and after the `executing` without prompt_id that greets a
	// reconnected socket.
	prompt, node string
	// outcomes are those of prompts whose end is still to be confirmed.
	outcomes map[string]job.RunOutcome
}

func newListener() *listener { return &listener{outcomes: map[string]job.RunOutcome{}} }

// maxOutcomes bounds what a listener remembers.
const maxOutcomes = 100

// hear reads a text frame. Kinds that are unknown, or that say nothing we need,
// are no news: custom nodes send their own. Nothing is left out because it is
// about somebody else; PromptID says whom it is about.
func (l *listener) hear(frame []byte) (job.News, bool) {
	o, ok := asObject(plainJSON(frame))
	if !ok {
		return job.News{}, false
	}
	data, ok := asObject(o["data"])
	if !ok {
		return job.News{}, false
	}
	n := job.News{PromptID: data.text("prompt_id"), Stamp: data.stamp()}
	if len(n.PromptID) > maxID || len(data["node"]) > maxID || len(data["display_node"]) > maxID {
		return job.News{}, false
	}
	switch kind := o.text("type"); kind {
	case "status":
		count, ok := data.object("status").object("exec_info").int64("queue_remaining")
		n.Kind, n.Count = job.NewsStatus, int(count)
		return n, ok && count >= 0 && count < 1<<31
	case "execution_start":
		n.Kind = job.NewsStarted
		return n, n.PromptID != ""
	case "execution_cached":
		n.Kind, n.Nodes = job.NewsCached, texts(data.list("nodes"))
		return n, n.PromptID != ""
	case "executing":
		return l.executing(n, data)
	case "progress":
		return l.step(n, data)
	case "crystools.monitor":
		n.Kind, n.Readings = job.NewsReadings, monitored(data)
		return n, len(n.Readings) > 0
	default:
		return l.ending(n, kind, data)
	}
}

func (l *listener) executing(n job.News, data object) (job.News, bool) {
	raw, ok := data["node"]
	if !ok {
		return n, false
	}
	if string(raw) == "null" {
		n.Kind, n.Outcome = job.NewsEnded, l.outcomes[n.PromptID]
		delete(l.outcomes, n.PromptID)
		l.prompt, l.node = "", ""
		return n, true
	}
	n.Kind, n.Node = job.NewsNode, data.text("display_node") // of an expanded node the one in the workflow
	if n.Node == "" {
		n.Node = asText(raw)
	}
	l.prompt, l.node = n.PromptID, n.Node
	return n, n.Node != ""
}

func (l *listener) step(n job.News, data object) (job.News, bool) {
	value, okValue := data.number("value")
	largest, okMax := data.number("max")
	n.Kind, n.Value, n.Max, n.Node = job.NewsStep, value, largest, data.text("node")
	if data["prompt_id"] == nil && data["node"] == nil { // before 2024
		n.PromptID, n.Node = l.prompt, l.node
	}
	return n, okValue && okMax && largest > 0 && value >= 0
}

func (l *listener) ending(n job.News, kind string, data object) (job.News, bool) {
	t := asTerminal(kind, data)
	if t == nil || n.PromptID == "" {
		return n, false
	}
	if len(l.outcomes) >= maxOutcomes {
		clear(l.outcomes)
	}
	l.outcomes[n.PromptID] = t.outcome
	l.prompt, l.node = "", ""
	n.Kind, n.Outcome, n.Err = job.NewsEnding, t.outcome, t.err
	return n, true
}

// hello is the first frame that we send. It asks for previews that name their
// prompt; servers before 0.3.45 ignore it.
const hello = `{"type":"feature_flags","data":{"supports_preview_metadata":true}}`

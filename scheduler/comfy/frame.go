package comfy

import (
	"bytes"
	"encoding/binary"

	"reckoner/scheduler/job"
)

// Kinds of binary frame, and the largest head of a preview (comfyui-protocol,
// 2.5).
const (
	framePreview         = 1
	framePreviewWithData = 4
	maxPreviewHead       = 64 << 10
)

// see reads a binary frame: a preview, with or without the ids of what it
// shows. Other kinds are no news. The picture shares the frame's memory.
func (l *listener) see(frame []byte) (job.News, bool) {
	if len(frame) < 8 {
		return job.News{}, false
	}
	kind, second, rest := binary.BigEndian.Uint32(frame), binary.BigEndian.Uint32(frame[4:]), frame[8:]
	n := job.News{Kind: job.NewsPreview}
	switch kind {
	case framePreview: // second is the format
		if second != 1 && second != 2 {
			return job.News{}, false
		}
		n.PromptID, n.Node, n.Image = l.prompt, l.node, rest
	case framePreviewWithData: // second is the head's length
		if second > maxPreviewHead || int(second) > len(rest) {
			return job.News{}, false
		}
		head, ok := asObject(plainJSON(rest[:second]))
		if !ok {
			return job.News{}, false
		}
		n.PromptID, n.Node, n.Image = head.text("prompt_id"), head.text("display_node_id"), rest[second:]
		if n.Node == "" {
			n.Node = head.text("node_id")
		}
	default:
		return job.News{}, false
	}
	if bytes.HasPrefix(n.Image, []byte("\x89PNG")) {
		n.Kind = job.NewsImage
	}
	return n, len(n.Image) > 0 && len(n.PromptID) <= maxID && len(n.Node) <= maxID
}

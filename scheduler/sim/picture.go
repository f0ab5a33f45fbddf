package sim

import (
	"encoding/binary"
	"slices"
)

// picture is a preview of a step: a JPEG, made up, for a client that may take
// its ids along.
type picture struct {
	node, prompt string
	size         int
}

// Kinds of binary frame.
const (
	plainPicture  = 1 // format, picture
	pictureWithID = 4 // length, JSON, picture
	formatJPEG    = 1
)

// frame is the picture as it is sent.
func (p picture) frame(withIDs bool) []byte {
	const head, tail = "\xff\xd8\xff\xe0\x00\x10JFIF\x00", "\xff\xd9"
	image := slices.Concat([]byte(head), make([]byte, max(p.size-len(head)-len(tail), 0)), []byte(tail))
	if !withIDs {
		b := binary.BigEndian.AppendUint32(nil, plainPicture)
		return append(binary.BigEndian.AppendUint32(b, formatJPEG), image...)
	}
	ids := encode(obj("node_id", p.node, "prompt_id", p.prompt, "display_node_id", p.node, "parent_node_id", nil,
		"real_node_id", p.node, "image_type", "image/jpeg"))
	b := binary.BigEndian.AppendUint32(nil, pictureWithID)
	b = binary.BigEndian.AppendUint32(b, uint32(len(ids))) //nolint:gosec // G115: a few hundred bytes
	return slices.Concat(b, ids, image)
}

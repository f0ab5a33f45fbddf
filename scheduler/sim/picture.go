package sim

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"slices"
)

// previewSide is how many pixels a preview's longer side has.
const previewSide = 192

// picture is a preview of a step: a JPEG, made up, for a client that may take
// its ids along.
type picture struct {
	node, prompt string
	size         int // bytes at least
	art          art
	done         float64 // of the steps, 0 to 1: the rest is noise
}

// Kinds of binary frame.
const (
	plainPicture  = 1 // format, picture
	pictureWithID = 4 // length, JSON, picture
	formatJPEG    = 1
)

// frame is the picture as it is sent.
func (p picture) frame(withIDs bool) []byte {
	image := p.jpeg()
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

// jpeg is the picture as far as it has come, filled up behind its end to its size.
func (p picture) jpeg() []byte {
	img := p.art.frame(previewSide, 0)
	noisy(img, 1-p.done, seeded(0, p.prompt, p.node))
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, img, &jpeg.Options{Quality: 70}); err != nil {
		return nil // a buffer takes everything, and the picture is small
	}
	return append(buf.Bytes(), make([]byte, max(p.size-buf.Len(), 0))...)
}

// noisy lays noise over a picture, as a sampler has not removed it yet.
func noisy(img *image.RGBA, much float64, r *rand.Rand) {
	for i := range img.Pix {
		if i%4 == 3 {
			continue // opaque
		}
		noise := float64(r.IntN(256))
		img.Pix[i] = uint8(float64(img.Pix[i])*(1-much) + noise*much)
	}
}

// previewArt is the picture of the first node that saves one, or that of the node
// itself.
func previewArt(g graph, id string) art {
	for _, of := range g.prompt.keys {
		if cl := g.class(of); cl != nil && cl.saves != "" {
			return paint(g, of, g.shapeOf(of))
		}
	}
	return paint(g, id, g.shapeOf(id))
}

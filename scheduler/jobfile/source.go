package jobfile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// headBytes is how much of a file's beginning tells it from others of the same
// workflow and length.
const headBytes = 4 << 10

// keptSource is what is kept of a picture, a video or a sound: its texts as they
// were, and what tells the file from others. Neither its time nor its name
// enter, so a copy is the same source. Read takes it like any request body.
type keptSource struct {
	File struct {
		Format string `json:"format"`
		Bytes  int64  `json:"bytes"`
		Head   string `json:"head_sha256"` // of the first headBytes
	} `json:"file"`
	Prompt   string `json:"prompt,omitempty"`
	Workflow string `json:"workflow,omitempty"`
}

func sourceOf(format string, s *section, c carried) []byte {
	sum := sha256.Sum256(s.upTo(0, headBytes))
	kept := keptSource{Prompt: string(c.prompt), Workflow: string(c.workflow)}
	kept.File.Format, kept.File.Bytes, kept.File.Head = format, s.size, hex.EncodeToString(sum[:])
	out, err := json.Marshal(kept)
	if err != nil {
		return nil // cannot be: it holds texts and numbers
	}
	return out
}

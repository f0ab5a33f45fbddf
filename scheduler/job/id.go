package job

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// ID names a job, a batch, a run, a question, a server or a machine: a
// lower-case UUID, except where a person chose the name.
type ID string

// RunID derives the id of a job's run from the job and the attempt (1, 2, ...):
// SHA-256 shaped as a version 4 UUID. It is the prompt_id that the render
// server is asked to use, so it can be computed again after a crash and looked
// for before anything is sent twice. ComfyUI accepts only canonical lower-case
// UUIDs from 2026 on (comfyui-protocol, 1.1).
func RunID(job ID, attempt int) ID {
	h := sha256.New()
	h.Write([]byte(job))
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(attempt)) //nolint:gosec // an attempt is never negative
	h.Write(n[:])
	return UUIDFrom([16]byte(h.Sum(nil)[:16]))
}

// UUIDFrom shapes 16 bytes as a version 4 UUID. Whoever needs a new id brings
// the bytes: randomness lives at the edge.
func UUIDFrom(b [16]byte) ID {
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	var s [36]byte
	hex.Encode(s[0:8], b[0:4])
	s[8] = '-'
	hex.Encode(s[9:13], b[4:6])
	s[13] = '-'
	hex.Encode(s[14:18], b[6:8])
	s[18] = '-'
	hex.Encode(s[19:23], b[8:10])
	s[23] = '-'
	hex.Encode(s[24:36], b[10:16])
	return ID(s[:])
}

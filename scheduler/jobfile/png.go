package jobfile

import (
	"bytes"
	"encoding/binary"
	"strings"

	"reckoner/scheduler/job"
)

// refusePNG says what kind of PNG it is: one that carries a workflow, one with
// another program's parameters, one that is cut off, or a plain picture. It
// looks at the chunks' names and keys only; a length that points past the end
// costs nothing.
func refusePNG(data []byte) *job.Error {
	const signature, frame = 8, 12 // a chunk is length, type, data, CRC
	args := job.Args{Value: "png"}
	a1111, complete := false, false
	for rest := data[signature:]; len(rest) >= frame; {
		size := int64(binary.BigEndian.Uint32(rest))
		kind := string(rest[4:8])
		body := rest[8 : 8+min(size, int64(len(rest)-8))]
		switch kind {
		case "tEXt", "zTXt", "iTXt", "comf":
			key, _, _ := bytes.Cut(body, []byte{0})
			switch strings.ToLower(string(key)) {
			case "prompt", "workflow":
				args.Count = 1
			case "parameters":
				a1111 = true
			}
		case "IEND":
			complete = true
		}
		if complete || size+frame > int64(len(rest)) {
			break
		}
		rest = rest[size+frame:]
	}
	switch {
	case !complete:
		return job.Errorf(job.ErrTruncated, args, nil)
	case a1111 && args.Count == 0:
		return job.Errorf(job.ErrA1111, args, nil)
	}
	return job.Errorf(job.ErrPicture, args, nil)
}

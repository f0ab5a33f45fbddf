package jobfile

import (
	"bytes"

	"reckoner/scheduler/job"
)

// readCarried finds what a container carries, and is false for those that it
// cannot read. Each reader takes the headers that it needs
// and steps over the rest.
func readCarried(format string, s *section) (carried, bool) {
	var c carried
	switch format {
	case "png":
		c = readPNG(s)
	case "webp":
		c = readWEBP(s)
	case "mp4", "mov":
		c = readMP4(s)
	case "webm":
		c = readMatroska(s)
	case "flac":
		c = readFLAC(s, 0)
	case "mp3":
		c = readMP3(s)
	default:
		return carried{}, false
	}
	return c, true
}

// lookAt is how much of a file's head and tail is searched for a workflow when
// its container cannot be read, only to say that there is one.
const lookAt = 1 << 20

// refuseMedia says what a picture, a video or a sound is that carries no
// workflow that could be read.
func refuseMedia(format string, c carried) *job.Error {
	args := job.Args{Value: format}
	if c.begun {
		args.Count = 1
	}
	switch {
	case c.cut:
		return job.Errorf(job.ErrTruncated, args, nil)
	case c.a1111 && args.Count == 0:
		return job.Errorf(job.ErrA1111, args, nil)
	}
	return job.Errorf(job.ErrPicture, args, nil)
}

// mentionsGraph tells whether uncompressed text of a graph is in the head or the
// tail of a file.
func mentionsGraph(s *section) bool {
	for _, part := range [...][]byte{s.upTo(0, lookAt), s.upTo(max(0, s.size-lookAt), lookAt)} {
		if bytes.Contains(part, []byte("class_type")) || bytes.Contains(part, []byte("widgets_values")) {
			return true
		}
	}
	return false
}

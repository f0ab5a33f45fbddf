package jobfile

import (
	"bytes"
	"strings"

	"reckoner/scheduler/job"
)

// signature is how a kind of file begins.
type signature struct {
	format string
	at     int
	magic  string
}

// signatures are the media files that people drop: results of a render server
// and inputs of one. The longer ones stand before those that they begin with.
var signatures = [...]signature{
	{"png", 0, "\x89PNG\r\n\x1a\n"},
	{"jpeg", 0, "\xff\xd8\xff"},
	{"gif", 0, "GIF8"},
	{"webp", 8, "WEBP"},
	{"avi", 8, "AVI "},
	{"wav", 8, "WAVE"},
	{"avif", 4, "ftypavif"},
	{"heic", 4, "ftypheic"},
	{"mov", 4, "ftypqt"},
	{"mp4", 4, "ftyp"},
	{"mov", 4, "moov"},
	{"mov", 4, "mdat"},
	{"mov", 4, "wide"},
	{"webm", 0, "\x1a\x45\xdf\xa3"},
	{"flac", 0, "fLaC"},
	{"ogg", 0, "OggS"},
	{"mp3", 0, "ID3"},
	{"mp3", 0, "\xff\xfb"},
	{"tiff", 0, "II*\x00"},
	{"tiff", 0, "MM\x00*"},
	{"glb", 0, "glTF"},
}

// otherSignatures are files that are neither text nor media.
var otherSignatures = [...]signature{
	{"zip", 0, "PK\x03\x04"},
	{"7z", 0, "7z\xbc\xaf\x27\x1c"},
	{"gzip", 0, "\x1f\x8b"},
	{"pdf", 0, "%PDF-"},
	{"program", 0, "\x7fELF"},
	{"program", 0, "MZ\x90\x00"},
	{"pickle", 0, "\x80\x02"},
}

func formatOf(data []byte, known []signature) string {
	for _, s := range known {
		if len(data) >= s.at && bytes.HasPrefix(data[s.at:], []byte(s.magic)) {
			return s.format
		}
	}
	return ""
}

// notText refuses what is neither text nor picture, video or sound, by its head.
func notText(head []byte) *job.Error {
	if f := formatOf(head, otherSignatures[:]); f != "" {
		return job.Errorf(job.ErrNotWorkflow, job.Args{Value: f}, nil)
	}
	if len(head) > 8 && head[8] == '{' && bytes.Equal(head[4:8], []byte{0, 0, 0, 0}) {
		return job.Errorf(job.ErrNotWorkflow, job.Args{Value: "safetensors"}, nil)
	}
	return nil
}

// isA1111 tells whether text is the parameters that AUTOMATIC1111's program
// writes: a prompt, then a line of "Steps: 20, Sampler: Euler a, ...".
func isA1111(text string) bool {
	return strings.Contains(text, "Steps: ") && strings.Contains(text, "Sampler: ")
}

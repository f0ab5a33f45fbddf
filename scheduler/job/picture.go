package job

import (
	"path"
	"strings"
)

// Picture is what a small picture can be made of. The zero Picture is none.
type Picture struct {
	File string // on this computer: a picture or a video
	Else string // a picture to take where none can be made of File
	Blob string // an input that is kept, by its SHA-256
	// Live is the server's id of a run of which it shows what it works on; Frame
	// counts what it showed, so that a newer one is told from those before.
	Live  string
	Frame int
}

// Why there is no small picture: the Value of ErrNoPicture.
const (
	PictureNoTool     = "no_ffmpeg" // File is a video, and ffmpeg is not here
	PictureSlow       = "slow"      // it took too long
	PictureTooLarge   = "too_large" // to be read: see Detail
	PictureDamaged    = "damaged"
	PictureUnknown    = "unknown_kind" // no picture that can be shown
	PictureGone       = "gone"         // File is not there any more
	PictureUnreadable = "unreadable"
)

// PictureOfResults gives what shows the results of a run: the first picture or
// video that it saved, else the first preview.
func PictureOfResults(outputs []Output) Picture {
	for _, previews := range [...]bool{false, true} {
		for _, o := range outputs {
			if p := PictureOfResult(o, outputs); o.Preview == previews && p.File != "" {
				return p
			}
		}
	}
	return Picture{}
}

// PictureOfResult gives what shows one of a run's results. Beside a video lies
// often its first frame, of the same name.
func PictureOfResult(o Output, all []Output) Picture {
	switch {
	case isPicture(o.File):
		return Picture{File: o.File}
	case !isVideo(o.File):
		return Picture{}
	}
	p := Picture{File: o.File}
	for _, other := range all {
		if !isPicture(other.File) {
			continue
		}
		if p.Else == "" || stem(other.ServerName) == stem(o.ServerName) {
			p.Else = other.File
		}
	}
	return p
}

// PictureOfInputs gives what shows a job before it has results: the first picture
// or video that it reads and that is kept here.
func PictureOfInputs(inputs []InputFile) Picture {
	for _, in := range inputs {
		if in.Blob != "" && (isPicture(in.File) || isVideo(in.File) || isPicture(in.Path) || isVideo(in.Path)) {
			return Picture{Blob: in.Blob}
		}
	}
	return Picture{}
}

func isPicture(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".png", ".apng", ".jpg", ".jpeg", ".webp", ".gif":
		return true
	}
	return false
}

func isVideo(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".mp4", ".m4v", ".mov", ".webm", ".mkv", ".avi":
		return true
	}
	return false
}

func stem(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }

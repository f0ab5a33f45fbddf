package jobfile

import (
	"encoding/json"
	"path"
	"strings"

	"reckoner/scheduler/job"
)

// Media is what a file that a job reads holds, or what a node takes. The empty
// Media is any.
type Media string

// The kinds of media.
const (
	MediaImage Media = "image"
	MediaVideo Media = "video"
	MediaAudio Media = "audio"
)

// MediaOf gives what a file holds by its format, as errors of ReadFrom name it;
// "" for what is none of them.
func MediaOf(format string) Media {
	switch format {
	case "png", "jpeg", "gif", "webp", "avif", "heic", "tiff":
		return MediaImage
	case "mp4", "mov", "webm", "avi":
		return MediaVideo
	case "flac", "mp3", "ogg", "wav":
		return MediaAudio
	}
	return ""
}

// SniffMedia gives what a file holds by its first 64 bytes, "" for what is
// neither picture, video nor sound.
func SniffMedia(head []byte) Media { return MediaOf(formatOf(head, signatures[:])) }

// Reads gives the files that the job reads on its server. Of a workflow in the
// page's format they are as far as the built-in loaders tell; Name is empty
// then.
func (f File) Reads() []MediaInput {
	if f.NeedsClasses() {
		return pageReads(f.Workflow)
	}
	var reads []MediaInput
	for _, in := range f.Facts.Inputs {
		if in.Needed && !isURL(in.File) {
			reads = append(reads, in)
		}
	}
	return reads
}

func isURL(file string) bool {
	return strings.HasPrefix(file, "http://") || strings.HasPrefix(file, "https://")
}

// takes tells what a loader of a class takes by its name, or by what it offers
// to upload.
func takes(class, upload string) Media {
	switch {
	case upload == "image", upload == "video", upload == "audio":
		return Media(upload)
	case strings.Contains(class, "Image") || strings.Contains(class, "Mask"):
		return MediaImage
	case strings.Contains(class, "Video"):
		return MediaVideo
	case strings.Contains(class, "Audio"):
		return MediaAudio
	}
	return ""
}

// addUploads adds the files that loaders of a server's own packs read: their
// inputs offer an upload.
func addUploads(g job.Graph, classes job.Classes, f *Facts) {
	x := newIndex(g)
	known, doubtful := x.outputs()
	marked := x.needed(append(append([]int(nil), known...), doubtful...))
	for i, n := range g.Nodes {
		for _, in := range n.Inputs {
			spec, ok := inputOf(classes[n.Class].Inputs, in.Name)
			file, isText := text(in.Value)
			if _, listed := mediaFile(n.Class, in); !ok || listed || !isText || file == "" || spec.Upload == "" {
				continue
			}
			f.Inputs = append(f.Inputs, MediaInput{
				Node: n.ID, Class: n.Class, Title: n.Title, Name: in.Name, File: file,
				Takes: takes(n.Class, spec.Upload), Needed: marked[i],
			})
		}
	}
}

// pageReads finds the loaders in a workflow in the page's format.
func pageReads(w Workflow) []MediaInput {
	_, top, ok := unfolded(json.RawMessage(w))
	if !ok {
		return nil
	}
	var reads []MediaInput
	var walk func(*scope)
	walk = func(s *scope) {
		for i := range s.graph.nodes {
			n := &s.graph.nodes[i]
			if child := s.children[i]; child != nil {
				walk(child)
				continue
			}
			if n.mode == modeMuted || n.mode == modeBypassed || !loadsMedia(n.class) {
				continue
			}
			for _, v := range n.allValues() {
				if name, ok := text(v); ok && path.Ext(name) != "" && !isModel(name) && !isURL(name) {
					reads = append(reads, MediaInput{
						Node: s.path + n.id, Class: n.class, Title: n.title, File: name, Takes: takes(n.class, ""), Needed: true,
					})
					break
				}
			}
		}
	}
	walk(top)
	return reads
}

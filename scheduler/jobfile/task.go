package jobfile

import (
	"strings"

	"reckoner/scheduler/job"
)

// task says what the marked nodes make of what, as far as their classes tell.
func (x index) task(marked []bool, f Facts) string {
	from, made := x.makesFrom(marked)
	video := made == madeVideo || f.Cost.Frames > 1
	switch {
	case made == madeAudio:
		return job.TaskAudio
	case from == fromVideo && video:
		return job.TaskVideoToVideo
	case from == fromImage && video:
		return job.TaskImageToVideo
	case from == fromImage && made == madeImage:
		return job.TaskImageToImage
	case from == fromText && video:
		return job.TaskTextToVideo
	case from == fromText && made == madeImage && f.Cost.Steps > 0:
		return job.TaskTextToImage
	}
	return job.TaskOther
}

type source int

const (
	fromText source = iota
	fromImage
	fromVideo
)

type product int

const (
	madeOther product = iota
	madeImage
	madeAudio
	madeVideo // a video with sound is a video
)

func (x index) makesFrom(marked []bool) (source, product) {
	from, made := fromText, madeOther
	for i, n := range x.nodes {
		if !marked[i] {
			continue
		}
		from = max(from, x.sourceOf(i))
		if isOutputClass(n.Class) {
			made = max(made, productOf(n.Class))
		}
	}
	return from, made
}

func (x index) sourceOf(i int) source {
	class := x.nodes[i].Class
	switch {
	case strings.HasPrefix(class, "LoadVideo") || strings.HasPrefix(class, "VHS_LoadVideo"):
		return fromVideo
	case strings.Contains(class, "LoadImage") && !strings.Contains(class, "Mask"):
		return fromImage
	case class == "EmptyImage" && x.startsVideo(i):
		return fromImage
	}
	return fromText
}

// startsVideo tells whether a node's picture is what a video starts from.
func (x index) startsVideo(i int) bool {
	for _, c := range x.consumers[i] {
		for _, in := range x.nodes[c].Inputs {
			if in.Link != nil && in.Link.Node == x.nodes[i].ID && strings.HasPrefix(in.Name, "start_image") {
				return true
			}
		}
	}
	return false
}

func productOf(class string) product {
	switch {
	case strings.Contains(class, "Audio"):
		return madeAudio
	case strings.Contains(class, "Video") || strings.Contains(class, "Animate") || strings.Contains(class, "WEBM"):
		return madeVideo
	case strings.Contains(class, "Image") || strings.Contains(class, "Preview") || strings.Contains(class, "Sampler"):
		return madeImage
	}
	return madeOther
}

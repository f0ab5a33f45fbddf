package scheduler

import (
	"sync"

	"reckoner/scheduler/job"
)

// frames keeps the newest picture that each server showed of what it works on. A
// preview is worth nothing once there is a newer one, and is never written down.
type frames struct {
	mu sync.Mutex
	of map[job.ID]frame // by server
}

type frame struct {
	prompt string // the server's id of what it shows
	image  []byte // encoded
}

// hear takes in news of a server: a preview, or the end of what it showed.
func (f *frames) hear(server job.ID, n job.News) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch n.Kind {
	case job.NewsPreview, job.NewsImage:
		if n.PromptID == "" || len(n.Image) == 0 {
			return
		}
		if f.of == nil {
			f.of = map[job.ID]frame{}
		}
		f.of[server] = frame{prompt: n.PromptID, image: n.Image}
	case job.NewsStarted, job.NewsEnding, job.NewsEnded, job.NewsDown:
		delete(f.of, server)
	default:
		// It is about something else.
	}
}

// newest gives the newest preview of a prompt, or nil.
func (f *frames) newest(prompt string) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, is := range f.of {
		if is.prompt == prompt {
			return is.image
		}
	}
	return nil
}

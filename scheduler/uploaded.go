package scheduler

import (
	"sync"

	"reckoner/scheduler/job"
)

// uploaded remembers what servers call the files that they were sent, where it
// is not the name that they were sent under.
type uploaded struct {
	mu    sync.Mutex
	names map[[2]string]string // by server and SHA-256
}

func (u *uploaded) name(server job.ID, blob string) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.names[[2]string{string(server), blob}]
}

func (u *uploaded) keep(server job.ID, blob, name string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.names == nil {
		u.names = map[[2]string]string{}
	}
	u.names[[2]string{string(server), blob}] = name
}

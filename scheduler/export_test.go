package scheduler

// LiveRuns counts the runs whose pictures over a websocket are remembered.
func (e *Engine) LiveRuns() int {
	e.hosts.live.mu.Lock()
	defer e.hosts.live.mu.Unlock()
	return len(e.hosts.live.runs)
}

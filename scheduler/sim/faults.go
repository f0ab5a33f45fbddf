package sim

import (
	"net/http"
	"slices"
	"sync"
)

// Faults is what goes wrong on a server. The zero Faults is a healthy one.
type Faults struct {
	// LoseReplies is how many submissions are taken whose reply is lost: the
	// connection ends without one.
	LoseReplies int `json:"lose_replies,omitempty"`
	// Refuse closes every connection without an answer.
	Refuse bool `json:"refuse,omitempty"`
	// HTML answers every request with a web page, as a proxy in front of a dead
	// server does, with HTMLStatus (0 means 502).
	HTML       bool `json:"html,omitempty"`
	HTMLStatus int  `json:"html_status,omitempty"`
	// StallS holds back every answer, as a server does whose interpreter is busy.
	StallS float64 `json:"stall_s,omitempty"`
	// HistoryDelayS passes between execution_success and the record.
	HistoryDelayS float64 `json:"history_delay_s,omitempty"`
	// Uninterruptible are classes that look at no interrupt while they run.
	Uninterruptible []string `json:"uninterruptible,omitempty"`
	// OutOfMemory are classes that fail for want of memory at their end.
	OutOfMemory []string `json:"out_of_memory,omitempty"`
	// DeadWorker takes prompts and never starts another one.
	DeadWorker bool `json:"dead_worker,omitempty"`
}

// faultBox guards a server's faults.
type faultBox struct {
	mu sync.Mutex
	f  Faults
}

func (b *faultBox) get() Faults {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.f
}

func (b *faultBox) change(edit func(*Faults)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	edit(&b.f)
}

// takeLostReply tells whether the reply of the submission at hand is lost.
func (b *faultBox) takeLostReply() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.f.LoseReplies == 0 {
		return false
	}
	b.f.LoseReplies--
	return true
}

func (b *faultBox) stubborn(class string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Contains(b.f.Uninterruptible, class)
}

func (b *faultBox) outOfMemory(class string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Contains(b.f.OutOfMemory, class)
}

// strike lets a fault answer a request. It tells whether one did.
func (s *Server) strike(w http.ResponseWriter, r *http.Request) bool {
	f := s.faults.get()
	if f.StallS > 0 {
		if err := s.pace.wait(r.Context(), seconds(f.StallS)); err != nil {
			return true
		}
	}
	switch {
	case f.Refuse:
		hangUp(w)
		return true
	case f.HTML:
		status := f.HTMLStatus
		if status == 0 {
			status = http.StatusBadGateway
		}
		answer(w, status, "text/html; charset=utf-8",
			[]byte("<!DOCTYPE html>\n<html><head><title>Bad gateway</title></head><body><h1>Bad gateway</h1></body></html>\n"))
		return true
	}
	return false
}

// hangUp ends the connection without an answer.
func hangUp(w http.ResponseWriter) {
	c := http.NewResponseController(w)
	conn, _, err := c.Hijack()
	if err != nil {
		return
	}
	_ = conn.Close() // the fault itself: nobody is told
}

package sim

import (
	"net/http"
	"slices"
	"sync"
)

// Faults is what goes wrong on a server. The zero Faults is a healthy one. Lists
// are of node classes, except where said; times are seconds of the world's time;
// counts go down as they are used up.
type Faults struct {
	HTTPFaults
	SocketFaults
	RunFaults
}

// HTTPFaults are those of requests.
type HTTPFaults struct {
	// LoseReplies is how many submissions are taken whose reply is lost: the
	// connection ends without one.
	LoseReplies int `json:"lose_replies,omitempty"`
	// GatewayTimeouts is how many submissions are taken while a proxy in front
	// gives up waiting: 504 and a web page.
	GatewayTimeouts int `json:"gateway_timeouts,omitempty"`
	// FailSubmissions is how many submissions end in 500 and are not taken.
	FailSubmissions int `json:"fail_submissions,omitempty"`
	// Refuse takes no connections. Where they are taken all the same, because
	// the listener is another's, they end without an answer.
	Refuse bool `json:"refuse,omitempty"`
	// HTML answers every request with a web page, as a proxy in front of a dead
	// server does, with HTMLStatus (0 means 502).
	HTML       bool `json:"html,omitempty"`
	HTMLStatus int  `json:"html_status,omitempty"`
	// StallS holds back every answer, as a server does whose interpreter is busy.
	StallS float64 `json:"stall_s,omitempty"`
	// NaN writes NaN into the prompts that the server keeps, and Infinity into
	// its description of classes, as some custom nodes make it do.
	NaN bool `json:"nan,omitempty"`
	// LongTuples lists prompts with a sixth element.
	LongTuples bool `json:"long_tuples,omitempty"`
	// OtherPod lets every OtherPod-th look at queue or record be answered by
	// another server, which knows nothing: a load balancer with several behind it.
	OtherPod int `json:"other_pod,omitempty"`
	// ShortViews is how many files are cut off after their first third.
	ShortViews int `json:"short_views,omitempty"`
	// LoseTemp answers 404 for temporary files, as after their clean-up.
	LoseTemp bool `json:"lose_temp,omitempty"`
}

// SocketFaults are those of websockets.
type SocketFaults struct {
	// SocketStatus refuses websockets with a status: 403, 404, 426.
	SocketStatus int `json:"socket_status,omitempty"`
	// DeafSockets say nothing after their first status, but answer pings.
	DeafSockets bool `json:"deaf_sockets,omitempty"`
	// HalfOpen sockets say nothing, and the server sees of their ends nothing
	// before LingerS has passed, as when a router dropped the connection.
	HalfOpen bool    `json:"half_open,omitempty"`
	LingerS  float64 `json:"linger_s,omitempty"`
	// SocketLifeS cuts every new socket after a time.
	SocketLifeS float64 `json:"socket_life_s,omitempty"`
	// DuplicateEvents says everything twice.
	DuplicateEvents bool `json:"duplicate_events,omitempty"`
	// EventDelayS is how late everything is said.
	EventDelayS float64 `json:"event_delay_s,omitempty"`
	// LoseEvents are the types that are never said; "executing_null" is the
	// message that ends a prompt.
	LoseEvents []string `json:"lose_events,omitempty"`
	// Flood is how many messages of a kind that nobody knows come before each.
	Flood int `json:"flood,omitempty"`
	// PreviewBytes makes every step send a preview of at least that size. 0 sends
	// none, as a server without --preview-method.
	PreviewBytes int `json:"preview_bytes,omitempty"`
	// MonitorUnknown lets the monitor say -1 for what its library lost sight of.
	MonitorUnknown bool `json:"monitor_unknown,omitempty"`
}

// RunFaults are those of the worker.
type RunFaults struct {
	// DeadWorker takes prompts and never starts another one.
	DeadWorker bool `json:"dead_worker,omitempty"`
	// StartDelayS passes between leaving the queue and the start. An interrupt in
	// it is lost, as on the real server.
	StartDelayS float64 `json:"start_delay_s,omitempty"`
	// HistoryDelayS passes between execution_success and the record.
	HistoryDelayS float64 `json:"history_delay_s,omitempty"`
	// ColdLoadS passes before the first step of a process's first sampler.
	ColdLoadS float64 `json:"cold_load_s,omitempty"`
	// HoldLockS is how long a node that begins to work holds Python's lock:
	// nothing is answered or said meanwhile.
	HoldLockS float64 `json:"hold_lock_s,omitempty"`
	// ClockSkewS is how far the server's clock is ahead.
	ClockSkewS float64 `json:"clock_skew_s,omitempty"`
	// CallsPerStep is how often a sampler calls its model for one step, each of
	// which counts as one: 0 for once.
	CallsPerStep int `json:"calls_per_step,omitempty"`
	// Uninterruptible look at no interrupt while they run.
	Uninterruptible []string `json:"uninterruptible,omitempty"`
	// SwallowInterrupts look, and go on: the interrupt is lost.
	SwallowInterrupts []string `json:"swallow_interrupts,omitempty"`
	// ErrorOnInterrupt make an ordinary error of an interrupt.
	ErrorOnInterrupt []string `json:"error_on_interrupt,omitempty"`
	// OutOfMemory fail for want of memory: after OutOfMemoryStep steps, or at
	// their end when that is 0.
	OutOfMemory     []string `json:"out_of_memory,omitempty"`
	OutOfMemoryStep int      `json:"out_of_memory_step,omitempty"`
	// Fail end in an error with FailText.
	Fail     []string `json:"fail,omitempty"`
	FailText string   `json:"fail_text,omitempty"`
	// Blocked say ExecutionBlocked, which looks like an error and is none.
	Blocked []string `json:"blocked,omitempty"`
	// FailedAsSuccess fail between nodes: the record says success and its last
	// message error.
	FailedAsSuccess []string `json:"failed_as_success,omitempty"`
	// InterruptedAsSuccess writes interrupted prompts down as a success, as old
	// servers do.
	InterruptedAsSuccess bool `json:"interrupted_as_success,omitempty"`
	// DiskFull lets no file be saved.
	DiskFull bool `json:"disk_full,omitempty"`
}

// faultBox guards a server's faults.
type faultBox struct {
	mu   sync.Mutex
	f    Faults
	pods int // looks that OtherPod has counted
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

// spend uses up one of a counted fault, and tells whether there was one.
func (b *faultBox) spend(count func(*Faults) *int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := count(&b.f)
	if *n <= 0 {
		return false
	}
	*n--
	return true
}

// has tells whether a class is in one of the lists.
func (b *faultBox) has(list func(*Faults) []string, class string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Contains(list(&b.f), class)
}

// otherPod tells whether another server answers this time.
func (b *faultBox) otherPod() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.f.OtherPod <= 0 {
		return false
	}
	b.pods++
	return b.pods%b.f.OtherPod == 0
}

// strike lets a fault answer a request. It tells whether one did.
func (s *Server) strike(w http.ResponseWriter, r *http.Request) bool {
	f := s.faults.get()
	if f.StallS > 0 && !s.waits(r.Context(), w, seconds(f.StallS)) {
		return true
	}
	switch {
	case f.Refuse:
		s.proto.front.dead(w)
		return true
	case f.HTML:
		status := f.HTMLStatus
		if status == 0 {
			status = http.StatusBadGateway
		}
		errorPage(w, status, "Bad gateway")
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

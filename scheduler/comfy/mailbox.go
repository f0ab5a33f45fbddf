package comfy

import (
	"sync"

	"reckoner/scheduler/job"
)

// Bounds of a mailbox.
const (
	// mailboxCrowded is from where on news that can be asked for over HTTP is
	// dropped, the oldest first.
	mailboxCrowded = 1000
	// mailboxFull is where a server that floods us is cut off.
	mailboxFull = 4000
)

// mailbox holds news between the socket's reader and whoever takes it. Putting
// never blocks, so a slow taker cannot stop the reader, and with it the server
// for all of its clients (comfyui-protocol, 2.4). Of steps, previews and queue
// lengths only the newest is kept.
type mailbox struct {
	mu    sync.Mutex
	news  []job.News
	at    map[newsKey]int // where the one that a newer one replaces lies
	empty int             // how many of news were replaced or dropped
	kept  int             // none of the first ones may be dropped
	ready chan struct{}   // capacity 1: there is something to take
}

type newsKey struct {
	kind         job.NewsKind
	prompt, node string
}

func newMailbox() *mailbox {
	return &mailbox{at: map[newsKey]int{}, ready: make(chan struct{}, 1)}
}

// keyOf says which earlier news n replaces.
func keyOf(n job.News) (newsKey, bool) {
	switch n.Kind {
	case job.NewsStatus, job.NewsPreview, job.NewsReadings:
		return newsKey{kind: n.Kind}, true
	case job.NewsStep:
		return newsKey{kind: n.Kind, prompt: n.PromptID, node: n.Node}, true
	default:
		return newsKey{}, false
	}
}

// mustArrive tells news that is never dropped.
func mustArrive(n job.News) bool {
	switch n.Kind {
	case job.NewsUp, job.NewsDown, job.NewsStarted, job.NewsEnding, job.NewsEnded, job.NewsImage:
		return true
	default:
		return false
	}
}

// put adds news. It is false when the mailbox is full of news that must not be
// dropped.
func (m *mailbox) put(n job.News) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.news)-m.empty >= mailboxFull && n.Kind != job.NewsUp && n.Kind != job.NewsDown {
		return false
	}
	if key, ok := keyOf(n); ok {
		if i, waits := m.at[key]; waits {
			m.drop(i)
		}
		m.at[key] = len(m.news)
	}
	m.news = append(m.news, n)
	if len(m.news)-m.empty > mailboxCrowded {
		m.dropOldest()
	}
	if m.empty > mailboxCrowded {
		m.compact()
	}
	select {
	case m.ready <- struct{}{}:
	default:
	}
	return true
}

func (m *mailbox) drop(i int) {
	m.news[i] = job.News{}
	m.empty++
}

func (m *mailbox) dropOldest() {
	for ; m.kept < len(m.news); m.kept++ {
		n := m.news[m.kept]
		if n.Kind == "" || mustArrive(n) {
			continue
		}
		if key, ok := keyOf(n); ok {
			delete(m.at, key)
		}
		m.drop(m.kept)
		return
	}
}

func (m *mailbox) compact() {
	kept := make([]job.News, 0, len(m.news)-m.empty)
	clear(m.at)
	for _, n := range m.news {
		if n.Kind == "" {
			continue
		}
		if key, ok := keyOf(n); ok {
			m.at[key] = len(kept)
		}
		kept = append(kept, n)
	}
	m.news, m.empty, m.kept = kept, 0, 0
}

// take gives all news there is, oldest first, and empties the mailbox.
func (m *mailbox) take() []job.News {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.empty > 0 {
		m.compact()
	}
	out := m.news
	m.news, m.kept = nil, 0
	clear(m.at)
	return out
}

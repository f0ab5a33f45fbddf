package notify

import (
	"context"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
)

// Bus sends notifications over the session bus, as the desktop's specification
// has it (org.freedesktop.Notifications, version 1.2).
type Bus struct {
	app, entry string
	chosen     func(Chosen)

	mu    sync.Mutex
	conn  *dbus.Conn
	acts  bool              // the desktop offers choices
	ids   map[string]uint32 // of notifications that may be replaced
	shown map[uint32]Note   // those on which something can be chosen
	heard sync.WaitGroup
}

const (
	expireMS  = 10_000
	sendTime  = 3 * time.Second
	mostKnown = 64 // notifications that are remembered to be replaced
)

const (
	busName  = "org.freedesktop.Notifications"
	busPath  = "/org/freedesktop/Notifications"
	keyShow  = "default" // of a click on the notification itself
	keyOther = "choice-" // and its number
)

// NewBus makes a sender. app is the name that is shown, entry the name of the
// desktop entry without its ending. The bus is not asked before the first
// notification. chosen, when not nil, is told what somebody chooses on one, from a
// goroutine of the bus.
func NewBus(app, entry string, chosen func(Chosen)) *Bus {
	return &Bus{app: app, entry: entry, chosen: chosen, ids: map[string]uint32{}, shown: map[uint32]Note{}}
}

// Send shows a notification for ten seconds.
func (b *Bus) Send(ctx context.Context, n Note) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	if b.conn == nil || !b.conn.Connected() {
		if err := b.connect(ctx); err != nil {
			return err
		}
	}
	hints := map[string]dbus.Variant{"desktop-entry": dbus.MakeVariant(b.entry)}
	var id uint32
	// The body may hold markup, the title may not.
	err := b.conn.Object(busName, busPath).CallWithContext(ctx, busName+".Notify", 0, b.app, b.ids[n.Replaces], b.entry,
		n.Title, html.EscapeString(n.Body), b.actions(n), hints, int32(expireMS)).Store(&id)
	if err != nil {
		return fmt.Errorf("show a notification: %w", err)
	}
	if b.acts {
		if len(b.shown) >= mostKnown {
			clear(b.shown)
		}
		b.shown[id] = n
	}
	if n.Replaces != "" {
		if len(b.ids) >= mostKnown {
			clear(b.ids)
		}
		b.ids[n.Replaces] = id
	}
	return nil
}

// connect reaches the bus, and listens to what is chosen where the desktop offers
// that.
func (b *Bus) connect(ctx context.Context) error {
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		return fmt.Errorf("connect to the session bus: %w", err)
	}
	b.conn = conn
	clear(b.ids)
	clear(b.shown)
	var can []string
	err = conn.Object(busName, busPath).CallWithContext(ctx, busName+".GetCapabilities", 0).Store(&can)
	b.acts = err == nil && b.chosen != nil && slices.Contains(can, "actions") &&
		conn.AddMatchSignalContext(ctx, dbus.WithMatchInterface(busName), dbus.WithMatchMember("ActionInvoked")) == nil
	if !b.acts {
		return nil // one without choices does as well
	}
	signals := make(chan *dbus.Signal, 16)
	conn.Signal(signals) // closed with the connection
	b.heard.Go(func() {
		for s := range signals {
			var id uint32
			var key string
			if s.Name == busName+".ActionInvoked" && dbus.Store(s.Body, &id, &key) == nil {
				b.choose(id, key)
			}
		}
	})
	return nil
}

// actions are the keys and labels of what can be chosen on a notification.
func (b *Bus) actions(n Note) []string {
	if !b.acts {
		return []string{}
	}
	list := []string{keyShow, "Show"}
	for i, c := range n.Choices {
		list = append(list, keyOther+strconv.Itoa(i), c.Label)
	}
	return list
}

// choose tells what was chosen on a notification of ours.
func (b *Bus) choose(id uint32, key string) {
	b.mu.Lock()
	n, ours := b.shown[id]
	b.mu.Unlock()
	if !ours {
		return
	}
	what := Chosen{Job: n.Job}
	if number, other := strings.CutPrefix(key, keyOther); other {
		i, err := strconv.Atoi(number)
		if err != nil || i < 0 || i >= len(n.Choices) {
			return
		}
		what.Choice = n.Choices[i]
	}
	b.chosen(what)
}

// Close gives the connection back.
func (b *Bus) Close() error {
	b.mu.Lock()
	conn := b.conn
	b.conn = nil
	b.mu.Unlock()
	if conn == nil {
		return nil
	}
	err := conn.Close()
	b.heard.Wait()
	if err != nil {
		return fmt.Errorf("close the session bus: %w", err)
	}
	return nil
}

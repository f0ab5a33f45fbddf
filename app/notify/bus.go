package notify

import (
	"context"
	"fmt"
	"html"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
)

// Bus sends notifications over the session bus, as the desktop's specification
// has it (org.freedesktop.Notifications, version 1.2).
type Bus struct {
	app, entry string

	mu   sync.Mutex
	conn *dbus.Conn
	ids  map[string]uint32 // of notifications that may be replaced
}

const (
	expireMS  = 10_000
	sendTime  = 3 * time.Second
	mostKnown = 64 // notifications that are remembered to be replaced
)

// NewBus makes a sender. app is the name that is shown, entry the name of the
// desktop entry without its ending. The bus is not asked before the first
// notification.
func NewBus(app, entry string) *Bus { return &Bus{app: app, entry: entry, ids: map[string]uint32{}} }

// Send shows a notification for ten seconds.
func (b *Bus) Send(ctx context.Context, n Note) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	if b.conn == nil || !b.conn.Connected() {
		conn, err := dbus.ConnectSessionBus()
		if err != nil {
			return fmt.Errorf("connect to the session bus: %w", err)
		}
		b.conn = conn
	}
	hints := map[string]dbus.Variant{"desktop-entry": dbus.MakeVariant(b.entry)}
	var id uint32
	// The body may hold markup, the title may not.
	err := b.conn.Object("org.freedesktop.Notifications", "/org/freedesktop/Notifications").CallWithContext(ctx,
		"org.freedesktop.Notifications.Notify", 0, b.app, b.ids[n.Replaces], b.entry, n.Title,
		html.EscapeString(n.Body), []string{}, hints, int32(expireMS)).Store(&id)
	if err != nil {
		return fmt.Errorf("show a notification: %w", err)
	}
	if n.Replaces != "" {
		if len(b.ids) >= mostKnown {
			clear(b.ids)
		}
		b.ids[n.Replaces] = id
	}
	return nil
}

// Close gives the connection back.
func (b *Bus) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.conn == nil {
		return nil
	}
	if err := b.conn.Close(); err != nil {
		return fmt.Errorf("close the session bus: %w", err)
	}
	b.conn = nil
	return nil
}

package desk

import (
	"context"
	"fmt"

	"github.com/godbus/dbus/v5"
)

const (
	notifyName = "org.freedesktop.Notifications"
	notifyPath = dbus.ObjectPath("/org/freedesktop/Notifications")
)

// Notification is what a program asked the desktop to show.
type Notification struct {
	App, Summary, Body string
}

// notifications answers as a notification service does, by the Desktop
// Notifications Specification 1.2, and shows nothing.
type notifications struct {
	shown chan Notification
	next  uint32
}

// Notifications are those that arrived, in order. Past a hundred that nobody
// has read, further ones are dropped.
func (d *Desk) Notifications() <-chan Notification { return d.notes.shown }

// GetCapabilities says that this service knows text and actions.
func (*notifications) GetCapabilities() ([]string, *dbus.Error) {
	return []string{"body", "actions"}, nil
}

// GetServerInformation names the service, its vendor, version and the
// specification that it follows.
func (*notifications) GetServerInformation() (name, vendor, version, spec string, _ *dbus.Error) {
	return "desk", "Reckoner", "1", "1.2", nil
}

// Notify takes a notification and returns its id. godbus calls it on one
// goroutine a connection.
func (n *notifications) Notify(
	app string, replaces uint32, _, summary, body string, _ []string, _ map[string]dbus.Variant, _ int32,
) (uint32, *dbus.Error) {
	select {
	case n.shown <- Notification{App: app, Summary: summary, Body: body}:
	default:
	}
	if replaces != 0 {
		return replaces, nil
	}
	n.next++
	return n.next, nil
}

// CloseNotification takes a notification back.
func (*notifications) CloseNotification(uint32) *dbus.Error { return nil }

func (d *Desk) serveNotifications(context.Context) error {
	d.notes = &notifications{shown: make(chan Notification, 100)}
	if err := d.conn.Export(d.notes, notifyPath, notifyName); err != nil {
		return fmt.Errorf("serve notifications: %w", err)
	}
	reply, err := d.conn.RequestName(notifyName, dbus.NameFlagDoNotQueue)
	if err != nil {
		return fmt.Errorf("own %s: %w", notifyName, err)
	}
	if reply != dbus.RequestNameReplyPrimaryOwner {
		return fmt.Errorf("own %s: somebody else does", notifyName)
	}
	return nil
}

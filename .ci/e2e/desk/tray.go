package desk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/prop"
)

const (
	watcherName = "org.kde.StatusNotifierWatcher"
	watcherPath = dbus.ObjectPath("/StatusNotifierWatcher")
	menuFace    = "com.canonical.dbusmenu"
)

// tray is a StatusNotifierWatcher and host: it takes icons and shows none
// (https://freedesktop.org/wiki/Specifications/StatusNotifierItem/).
type tray struct {
	mu    sync.Mutex
	items []trayItem
}

type trayItem struct {
	program string // its name on the bus
	path    dbus.ObjectPath
}

// RegisterStatusNotifierItem takes an icon: a path of the caller's, or the name of
// a program that has it where everybody has.
func (t *tray) RegisterStatusNotifierItem(service string, from dbus.Sender) *dbus.Error {
	item := trayItem{string(from), "/StatusNotifierItem"}
	if dbus.ObjectPath(service).IsValid() {
		item.path = dbus.ObjectPath(service)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.items = append(t.items, item)
	return nil
}

// RegisterStatusNotifierHost takes another host.
func (*tray) RegisterStatusNotifierHost(string) *dbus.Error { return nil }

// ServeTray shows tray icons from now on.
func (d *Desk) ServeTray() error {
	d.tray = &tray{}
	if err := d.conn.Export(d.tray, watcherPath, watcherName); err != nil {
		return fmt.Errorf("serve a tray: %w", err)
	}
	_, err := prop.Export(d.conn, watcherPath, prop.Map{watcherName: {
		"IsStatusNotifierHostRegistered": {Value: true},
		"ProtocolVersion":                {Value: int32(0)},
		"RegisteredStatusNotifierItems":  {Value: []string{}},
	}})
	if err != nil {
		return fmt.Errorf("serve a tray's properties: %w", err)
	}
	reply, err := d.conn.RequestName(watcherName, dbus.NameFlagDoNotQueue)
	if err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		return errors.Join(fmt.Errorf("own %s: answer %d", watcherName, reply), err)
	}
	return nil
}

// menuNode is an item of an icon's menu as com.canonical.dbusmenu has it.
type menuNode struct {
	ID         int32
	Properties map[string]dbus.Variant
	Children   []dbus.Variant
}

// TrayMenu gives the labels of the newest icon's menu.
func (d *Desk) TrayMenu(ctx context.Context) ([]string, error) {
	nodes, _, err := d.menu(ctx)
	var labels []string
	for _, n := range nodes {
		label, _ := n.Properties["label"].Value().(string)
		labels = append(labels, label)
	}
	return labels, err
}

// ChooseInTray chooses an item of the newest icon's menu.
func (d *Desk) ChooseInTray(ctx context.Context, label string) error {
	nodes, object, err := d.menu(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(nodes, func(n menuNode) bool { return n.Properties["label"].Value() == label })
	if i < 0 {
		return fmt.Errorf("the tray's menu has no %q", label)
	}
	call := object.CallWithContext(ctx, menuFace+".Event", 0, nodes[i].ID, "clicked", dbus.MakeVariant(""), uint32(0))
	if call.Err != nil {
		return fmt.Errorf("choose %q in the tray: %w", label, call.Err)
	}
	return nil
}

func (d *Desk) menu(ctx context.Context) ([]menuNode, dbus.BusObject, error) {
	d.tray.mu.Lock()
	items := slices.Clone(d.tray.items)
	d.tray.mu.Unlock()
	if len(items) == 0 {
		return nil, nil, errors.New("the tray has no icon")
	}
	item := items[len(items)-1]
	icon := d.conn.Object(item.program, item.path)
	var at dbus.Variant
	get := icon.CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0, "org.kde.StatusNotifierItem", "Menu")
	err := get.Store(&at)
	path, ok := at.Value().(dbus.ObjectPath)
	if err != nil || !ok {
		return nil, nil, errors.Join(errors.New("the icon has no menu"), err)
	}
	object := d.conn.Object(item.program, path)
	var revision uint32
	var root menuNode
	err = object.CallWithContext(ctx, menuFace+".GetLayout", 0, int32(0), int32(-1), []string{}).Store(&revision, &root)
	if err != nil {
		return nil, nil, fmt.Errorf("read the icon's menu: %w", err)
	}
	var nodes []menuNode
	for _, child := range root.Children {
		var n menuNode
		if err := dbus.Store([]any{child.Value()}, &n); err != nil {
			return nil, nil, fmt.Errorf("read an item of the menu: %w", err)
		}
		nodes = append(nodes, n)
	}
	return nodes, object, nil
}

package desk

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// xdndVersion is the version of the XDND protocol that a drag here speaks:
// https://freedesktop.org/wiki/Specifications/XDND/.
const xdndVersion = 5

// drag is one drag of files, seen from its source.
type drag struct {
	desk   *Desk
	x      *xgb.Conn // of its own, so that it alone reads its events
	source xproto.Window
	target Window
	uris   string

	selection, uriList, copyAction, status, finished, drop xproto.Atom
}

// Drop drags the files from another program over the window and lets go at
// (x, y) of it. It returns when the window says that it has taken them.
func (w Window) Drop(ctx context.Context, x, y int, files ...string) error {
	conn, err := xgb.NewConnDisplay(w.desk.display)
	if err != nil {
		return fmt.Errorf("connect the drag's source: %w", err)
	}
	defer conn.Close()
	// A reader of events waits without a deadline; closing its connection wakes it.
	defer context.AfterFunc(ctx, conn.Close)()

	g := &drag{desk: w.desk, x: conn, target: w, uris: uriList(files)}
	if err := g.prepare(); err != nil {
		return fmt.Errorf("prepare the drag: %w", err)
	}
	if err := g.enter(x, y); err != nil {
		return fmt.Errorf("drag over the window: %w", err)
	}
	if err := g.run(); err != nil {
		return errors.Join(fmt.Errorf("drop on the window: %w", err), ctx.Err())
	}
	return nil
}

// uriList is the files in the format of text/uri-list (RFC 2483).
func uriList(files []string) string {
	var list strings.Builder
	for _, file := range files {
		uri := url.URL{Scheme: "file", Path: file}
		list.WriteString(uri.String() + "\r\n")
	}
	return list.String()
}

// prepare makes the source's window and takes the selection that carries the
// dragged data.
func (g *drag) prepare() error {
	for name, atom := range map[string]*xproto.Atom{
		"XdndSelection": &g.selection, "text/uri-list": &g.uriList, "XdndActionCopy": &g.copyAction,
		"XdndStatus": &g.status, "XdndFinished": &g.finished, "XdndDrop": &g.drop,
	} {
		var err error
		if *atom, err = g.desk.atom(name); err != nil {
			return err
		}
	}
	var err error
	if g.source, err = xproto.NewWindowId(g.x); err != nil {
		return err
	}
	screen := xproto.Setup(g.x).DefaultScreen(g.x)
	err = xproto.CreateWindowChecked(g.x, screen.RootDepth, g.source, screen.Root, 0, 0, 1, 1, 0,
		xproto.WindowClassInputOutput, screen.RootVisual, 0, nil).Check()
	if err != nil {
		return err
	}
	return xproto.SetSelectionOwnerChecked(g.x, g.source, g.selection, xproto.TimeCurrentTime).Check()
}

func (g *drag) enter(x, y int) error {
	at, err := xproto.TranslateCoordinates(g.x, g.target.id, g.desk.root(), int16(x), int16(y)).Reply()
	if err != nil {
		return err
	}
	enter, err := g.desk.atom("XdndEnter")
	if err != nil {
		return err
	}
	position, err := g.desk.atom("XdndPosition")
	if err != nil {
		return err
	}
	if err := g.target.send(enter, uint32(g.source), xdndVersion<<24, uint32(g.uriList), 0, 0); err != nil {
		return err
	}
	place := uint32(uint16(at.DstX))<<16 | uint32(uint16(at.DstY))
	return g.target.send(position, uint32(g.source), 0, place, xproto.TimeCurrentTime, uint32(g.copyAction))
}

// run answers the window until it says that it has taken the files or refuses
// them.
func (g *drag) run() error {
	for {
		event, xerr := g.x.WaitForEvent()
		switch e := event.(type) {
		case nil:
			if xerr == nil {
				return errors.New("the window did not answer in time")
			}
			return xerr
		case xproto.ClientMessageEvent:
			// By the protocol bit 0 says yes; GLFW answers a finished drop with the
			// number of bytes that it read.
			accepted := e.Data.Data32[1] != 0
			switch {
			case e.Type == g.status && !accepted:
				return errors.New("the window takes no files")
			case e.Type == g.status:
				err := g.target.send(g.drop, uint32(g.source), 0, xproto.TimeCurrentTime, 0, 0)
				if err != nil {
					return err
				}
			case e.Type == g.finished && !accepted:
				return errors.New("the window could not read the files")
			case e.Type == g.finished:
				return nil
			}
		case xproto.SelectionRequestEvent:
			if err := g.hand(e); err != nil {
				return err
			}
		}
	}
}

// hand gives the dragged data to the window that asks for it.
func (g *drag) hand(ask xproto.SelectionRequestEvent) error {
	err := xproto.ChangePropertyChecked(g.x, xproto.PropModeReplace, ask.Requestor, ask.Property, g.uriList, 8,
		uint32(len(g.uris)), []byte(g.uris)).Check()
	if err != nil {
		return fmt.Errorf("hand over the files: %w", err)
	}
	notify := xproto.SelectionNotifyEvent{
		Time: ask.Time, Requestor: ask.Requestor, Selection: ask.Selection, Target: ask.Target, Property: ask.Property,
	}
	return xproto.SendEventChecked(g.x, false, ask.Requestor, xproto.EventMaskNoEvent, string(notify.Bytes())).Check()
}

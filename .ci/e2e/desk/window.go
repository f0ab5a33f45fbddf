package desk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"strings"
	"time"

	"github.com/jezek/xgb/xproto"
)

// Window is a program's window on the desk.
type Window struct {
	id   xproto.Window
	desk *Desk
}

// Window waits for a visible window whose title begins with prefix.
func (d *Desk) Window(ctx context.Context, prefix string) (Window, error) {
	w := Window{desk: d}
	err := Until(ctx, fmt.Sprintf("wait for the window %q", prefix), func() error {
		tree, err := xproto.QueryTree(d.x, d.root()).Reply()
		if err != nil {
			return err
		}
		for _, id := range tree.Children {
			attr, err := xproto.GetWindowAttributes(d.x, id).Reply()
			if err != nil || attr.MapState != xproto.MapStateViewable {
				continue
			}
			if title, err := d.text(id, "_NET_WM_NAME"); err == nil && strings.HasPrefix(title, prefix) {
				w.id = id
				return nil
			}
		}
		return fmt.Errorf("none of %d windows", len(tree.Children))
	})
	return w, err
}

// Close asks the window to close, as its close button does (WM_DELETE_WINDOW).
func (w Window) Close() error {
	protocols, err := w.desk.atom("WM_PROTOCOLS")
	if err != nil {
		return err
	}
	del, err := w.desk.atom("WM_DELETE_WINDOW")
	if err != nil {
		return err
	}
	return w.send(protocols, uint32(del), xproto.TimeCurrentTime, 0, 0, 0)
}

// Picture is what the window shows now.
func (w Window) Picture() (image.Image, error) {
	geo, err := xproto.GetGeometry(w.desk.x, xproto.Drawable(w.id)).Reply()
	if err != nil {
		return nil, fmt.Errorf("measure the window: %w", err)
	}
	const allPlanes = ^uint32(0)
	raw, err := xproto.GetImage(w.desk.x, xproto.ImageFormatZPixmap, xproto.Drawable(w.id), 0, 0,
		geo.Width, geo.Height, allPlanes).Reply()
	if err != nil {
		return nil, fmt.Errorf("read the window's pixels: %w", err)
	}
	width, height := int(geo.Width), int(geo.Height)
	if len(raw.Data) != width*height*4 {
		return nil, fmt.Errorf("read the window's pixels: %d bytes for %d x %d", len(raw.Data), width, height)
	}
	pic := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := 0; i < len(raw.Data); i += 4 { // BGRX on a 24 bit screen
		pic.Pix[i], pic.Pix[i+1], pic.Pix[i+2], pic.Pix[i+3] = raw.Data[i+2], raw.Data[i+1], raw.Data[i], 0xff
	}
	return pic, nil
}

// Settle waits until the window shows the same for a quarter of a second, or for a
// second when something on it moves.
func (w Window) Settle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	var last []byte
	same := 0
	_ = Until(ctx, "wait for a picture that stays", func() error {
		pic, err := w.Picture()
		if err != nil {
			return err
		}
		rgba, ok := pic.(*image.RGBA)
		if same++; !ok || !bytes.Equal(rgba.Pix, last) {
			same, last = 0, rgba.Pix
		}
		if same < 5 {
			return errors.New("it changed lately")
		}
		return nil
	})
}

// TextAlone is how many colours a window with some words at least has, by their
// smooth edges. One that drew nothing has one.
const TextAlone = 40

// Colours counts the distinct colours of a picture.
func Colours(pic image.Image) int {
	seen := map[color.Color]struct{}{}
	for y := pic.Bounds().Min.Y; y < pic.Bounds().Max.Y; y++ {
		for x := pic.Bounds().Min.X; x < pic.Bounds().Max.X; x++ {
			seen[pic.At(x, y)] = struct{}{}
		}
	}
	return len(seen)
}

// send sends a client message of five words to the window.
func (w Window) send(kind xproto.Atom, words ...uint32) error {
	event := xproto.ClientMessageEvent{
		Format: 32, Window: w.id, Type: kind,
		Data: xproto.ClientMessageDataUnionData32New(words),
	}
	err := xproto.SendEventChecked(w.desk.x, false, w.id, xproto.EventMaskNoEvent, string(event.Bytes())).Check()
	if err != nil {
		return fmt.Errorf("send a message to the window: %w", err)
	}
	return nil
}

func (d *Desk) atom(name string) (xproto.Atom, error) {
	reply, err := xproto.InternAtom(d.x, false, uint16(len(name)), name).Reply()
	if err != nil {
		return 0, fmt.Errorf("intern atom %s: %w", name, err)
	}
	return reply.Atom, nil
}

func (d *Desk) text(id xproto.Window, property string) (string, error) {
	name, err := d.atom(property)
	if err != nil {
		return "", err
	}
	reply, err := xproto.GetProperty(d.x, false, id, name, xproto.GetPropertyTypeAny, 0, 1024).Reply()
	if err != nil {
		return "", fmt.Errorf("read %s: %w", property, err)
	}
	if reply.Format != 8 {
		return "", errors.New("no text in " + property)
	}
	return string(reply.Value), nil
}

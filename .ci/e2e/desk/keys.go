package desk

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"
)

// Key symbols by the names that Press takes (X11/keysymdef.h). Characters are
// their own names.
func keySymbols() map[string]xproto.Keysym {
	return map[string]xproto.Keysym{
		"Return": 0xff0d, "Escape": 0xff1b, "Tab": 0xff09, "Delete": 0xffff, "Home": 0xff50, "End": 0xff57,
		"Left": 0xff51, "Up": 0xff52, "Right": 0xff53, "Down": 0xff54, "ctrl": 0xffe3, "shift": 0xffe1, "space": 0x20,
	}
}

// fingers is how long a person takes from key to key at least. Faster ones are
// taken for the repetition of one that is held down.
const fingers = 30 * time.Millisecond

// Focus gives a window the keyboard.
func (w Window) Focus() error {
	err := xproto.SetInputFocusChecked(w.desk.x, xproto.InputFocusParent, w.id, xproto.TimeCurrentTime).Check()
	if err != nil {
		return fmt.Errorf("give the window the keyboard: %w", err)
	}
	return nil
}

// Press presses keys, each written as "Down", "a" or "ctrl+p".
func (d *Desk) Press(chords ...string) error {
	for _, chord := range chords {
		if err := d.press(strings.Split(chord, "+")); err != nil {
			return fmt.Errorf("press %s: %w", chord, err)
		}
		<-time.After(fingers)
	}
	return nil
}

// Type types a text.
func (d *Desk) Type(text string) error {
	for _, r := range text {
		if err := d.press([]string{string(r)}); err != nil {
			return fmt.Errorf("type %q: %w", r, err)
		}
		<-time.After(fingers)
	}
	return nil
}

// press holds keys down in their order, and lets them go again.
func (d *Desk) press(names []string) error {
	var down []xproto.Keycode
	hold := func(sym xproto.Keysym) error {
		code, shifted, err := d.keycode(sym)
		if err != nil {
			return err
		}
		if shifted {
			shift, _, err := d.keycode(keySymbols()["shift"])
			if err != nil {
				return err
			}
			down = append(down, shift)
			if err := d.fake(xproto.KeyPress, shift); err != nil {
				return err
			}
		}
		down = append(down, code)
		return d.fake(xproto.KeyPress, code)
	}
	for _, name := range names {
		sym, named := keySymbols()[name]
		if !named {
			r, _ := utf8.DecodeRuneInString(name)
			sym = xproto.Keysym(r)
		}
		if err := hold(sym); err != nil {
			return err
		}
	}
	for _, code := range slices.Backward(down) {
		if err := d.fake(xproto.KeyRelease, code); err != nil {
			return err
		}
	}
	return nil
}

func (d *Desk) fake(kind byte, code xproto.Keycode) error {
	return xtest.FakeInputChecked(d.x, kind, byte(code), 0, d.root(), 0, 0, 0).Check()
}

// keycode finds the key that gives a symbol, and whether with Shift.
func (d *Desk) keycode(sym xproto.Keysym) (code xproto.Keycode, shifted bool, err error) {
	setup := xproto.Setup(d.x)
	first, last := setup.MinKeycode, setup.MaxKeycode
	keys, err := xproto.GetKeyboardMapping(d.x, first, byte(last-first+1)).Reply()
	if err != nil {
		return 0, false, fmt.Errorf("read the keyboard: %w", err)
	}
	each := int(keys.KeysymsPerKeycode)
	for shift := range 2 {
		for i := 0; i+shift < len(keys.Keysyms); i += each {
			if keys.Keysyms[i+shift] == sym {
				return first + xproto.Keycode(i/each), shift == 1, nil
			}
		}
	}
	return 0, false, fmt.Errorf("no key gives %#x", sym)
}

// Visible tells whether a window is shown.
func (w Window) Visible() (bool, error) {
	attr, err := xproto.GetWindowAttributes(w.desk.x, w.id).Reply()
	if err != nil {
		return false, fmt.Errorf("look at the window: %w", err)
	}
	return attr.MapState == xproto.MapStateViewable, nil
}

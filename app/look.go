package app

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"reckoner/app/theme"
)

// What the toolkit's preferences hold of the looks.
const (
	prefTheme = "look.theme"
	prefText  = "look.text" // per cent
)

// The choices of the menu.
type (
	themeChoice struct {
		key, label string
		variant    theme.Variant
	}
	look struct {
		theme string
		text  int
	}
)

func themes() []themeChoice {
	return []themeChoice{
		{"desktop", "As the desktop", theme.FollowDesktop}, {"dark", "Dark", theme.Dark}, {"light", "Light", theme.Light},
	}
}

// textSizes are in per cent.
func textSizes() []int { return []int{100, 150, 200} }

// lookOf reads the looks that were chosen, or those of a first start. What is not
// among the choices is not taken.
func lookOf(p fyne.Preferences) look {
	l := look{theme: p.StringWithFallback(prefTheme, "desktop"), text: p.IntWithFallback(prefText, 100)}
	if l.variant() == theme.FollowDesktop {
		l.theme = "desktop"
	}
	if l.text < 100 || l.text > 200 {
		l.text = 100
	}
	return l
}

func (l look) variant() theme.Variant {
	for _, c := range themes() {
		if c.key == l.theme {
			return c.variant
		}
	}
	return theme.FollowDesktop
}

// apply gives the window its looks.
func (l look) apply(a fyne.App) {
	a.Settings().SetTheme(theme.New(l.variant(), float32(l.text)/100))
}

// setLook changes the looks, keeps them, and lays everything out again: larger
// text wants more room everywhere.
func (w *window) setLook(l look) {
	w.app.Preferences().SetString(prefTheme, l.theme)
	w.app.Preferences().SetInt(prefText, l.text)
	l.apply(w.app)
	w.looks.check(l)
	w.win.MainMenu().Refresh()
	w.shell.Refresh()
	w.shell.layout(w.shell.Size())
	w.queue.Relayout()
	w.bridge.Changed()
}

// resizeText makes the text larger by so many steps, or smaller.
func (w *window) resizeText(steps int) {
	l, sizes := lookOf(w.app.Preferences()), textSizes()
	at := 0
	for i, s := range sizes {
		if s <= l.text {
			at = i
		}
	}
	l.text = sizes[min(max(at+steps, 0), len(sizes)-1)]
	w.setLook(l)
}

// looks are the menu's choices, one of each kind checked.
type looks struct {
	themes, sizes []*fyne.MenuItem
}

func (w *window) newLooks() *looks {
	k := &looks{}
	for _, c := range themes() {
		k.themes = append(k.themes, fyne.NewMenuItem(c.label, func() {
			l := lookOf(w.app.Preferences())
			l.theme = c.key
			w.setLook(l)
		}))
	}
	for _, s := range textSizes() {
		k.sizes = append(k.sizes, fyne.NewMenuItem(fmt.Sprintf("%d %%", s), func() {
			l := lookOf(w.app.Preferences())
			l.text = s
			w.setLook(l)
		}))
	}
	k.check(lookOf(w.app.Preferences()))
	return k
}

func (k *looks) check(l look) {
	for i, c := range themes() {
		k.themes[i].Checked = c.variant == l.variant()
	}
	for i, s := range textSizes() {
		k.sizes[i].Checked = s == l.text
	}
}

// items are what the menu shows of the looks.
func (w *window) lookItems() []*fyne.MenuItem {
	themes, sizes := fyne.NewMenuItem("Theme", nil), fyne.NewMenuItem("Text size", nil)
	themes.ChildMenu = fyne.NewMenu("", w.looks.themes...)
	sizes.ChildMenu = fyne.NewMenu("", w.looks.sizes...)
	larger := item("Larger text", fyne.KeyPlus, func() { w.resizeText(1) })
	larger.Shortcut = &desktop.CustomShortcut{KeyName: fyne.KeyEqual, Modifier: fyne.KeyModifierShortcutDefault}
	return []*fyne.MenuItem{
		themes, sizes, larger, item("Smaller text", fyne.KeyMinus, func() { w.resizeText(-1) }),
	}
}

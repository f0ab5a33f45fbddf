// Package theme is how Reckoner's window looks: its colours by meaning, in a
// dark and a light variant, and its sizes.
//
// It owns the names of colours and sizes that the other packages of the window
// use. It must never know what is drawn with them. The colours are fixed: they
// do not follow the accent colour of the desktop, because blue and amber have
// meanings here.
package theme

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// Sizes of text, for fyne.Theme.Size.
const (
	SizeBody  fyne.ThemeSizeName = theme.SizeNameText
	SizeSmall fyne.ThemeSizeName = theme.SizeNameCaptionText
	SizeName  fyne.ThemeSizeName = "reckoner.name"   // the names of jobs
	SizeTitle fyne.ThemeSizeName = "reckoner.title"  // the names of machines and pages
	SizeBig   fyne.ThemeSizeName = "reckoner.figure" // the figures of gauges
)

// Variant chooses between dark and light.
type Variant int

// The variants.
const (
	FollowDesktop Variant = iota
	Dark
	Light
)

// Theme is a fyne.Theme with Reckoner's colours and sizes. The zero Theme
// follows the desktop at normal text size, once it has been made by New.
type Theme struct {
	fyne.Theme
	variant Variant
	scale   float32
}

var _ fyne.Theme = (*Theme)(nil)

// New makes a theme. textScale 1 is normal text; 0 or less means 1.
func New(v Variant, textScale float32) *Theme {
	if textScale <= 0 {
		textScale = 1
	}
	return &Theme{Theme: theme.DefaultTheme(), variant: v, scale: textScale}
}

// Color gives a colour of the toolkit or of ours.
func (t *Theme) Color(name fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	p := &dark
	if t.variant == Light || (t.variant == FollowDesktop && v == theme.VariantLight) {
		p = &light
	}
	if c, ok := p.color(name); ok {
		return c
	}
	if p == &light {
		return t.Theme.Color(name, theme.VariantLight)
	}
	return t.Theme.Color(name, theme.VariantDark)
}

// Size gives a size of the toolkit or of ours, text scaled.
func (t *Theme) Size(name fyne.ThemeSizeName) float32 {
	switch name {
	case SizeBody:
		return 13 * t.scale
	case SizeSmall:
		return 11 * t.scale
	case SizeName:
		return 13.5 * t.scale
	case SizeTitle, theme.SizeNameSubHeadingText:
		return 15 * t.scale
	case SizeBig, theme.SizeNameHeadingText:
		return 20 * t.scale
	case theme.SizeNameInlineIcon:
		return 18 * t.scale
	case theme.SizeNameInputRadius, theme.SizeNameSelectionRadius:
		return 6
	}
	return t.Theme.Size(name)
}

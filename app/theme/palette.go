package theme

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// Colours by what they mean, for fyne.Theme.Color.
const (
	ColorText       fyne.ThemeColorName = theme.ColorNameForeground
	ColorMuted      fyne.ThemeColorName = theme.ColorNamePlaceHolder
	ColorWindow     fyne.ThemeColorName = theme.ColorNameBackground
	ColorPanel      fyne.ThemeColorName = "reckoner.panel"  // lists and the details
	ColorCard       fyne.ThemeColorName = "reckoner.card"   // cards and tall rows
	ColorRaised     fyne.ThemeColorName = "reckoner.raised" // buttons, and what is not filled of a bar
	ColorLine       fyne.ThemeColorName = theme.ColorNameSeparator
	ColorSelected   fyne.ThemeColorName = "reckoner.selected"
	ColorMeasured   fyne.ThemeColorName = theme.ColorNamePrimary // solid: what was measured
	ColorStripe     fyne.ThemeColorName = "reckoner.stripe"      // estimates: the lighter stripes
	ColorStripeDark fyne.ThemeColorName = "reckoner.stripe_dark" // estimates: the darker stripes
	ColorUsual      fyne.ThemeColorName = "reckoner.usual"       // where usual runs end, on a bar
	ColorTick       fyne.ThemeColorName = "reckoner.tick"
	ColorOdd        fyne.ThemeColorName = theme.ColorNameWarning // what a person should look at
	ColorOddBack    fyne.ThemeColorName = "reckoner.odd_back"
	ColorMineBack   fyne.ThemeColorName = "reckoner.mine_back"
	ColorShared     fyne.ThemeColorName = "reckoner.shared" // runs that shared their GPU
	ColorBad        fyne.ThemeColorName = theme.ColorNameError
	ColorOnMeasured fyne.ThemeColorName = theme.ColorNameForegroundOnPrimary
	ColorThumbA     fyne.ThemeColorName = "reckoner.thumb_a" // where a picture is not there yet
	ColorThumbB     fyne.ThemeColorName = "reckoner.thumb_b"
)

type palette map[fyne.ThemeColorName]color.NRGBA

func (p *palette) color(name fyne.ThemeColorName) (color.Color, bool) {
	c, ok := (*p)[name]
	return c, ok
}

func rgb(v uint32) color.NRGBA { return rgba(v, 0xff) }

func rgba(v uint32, a uint8) color.NRGBA {
	return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: a} //nolint:gosec // bytes of v
}

var dark = palette{
	ColorText:                       rgb(0xe8ebf0),
	ColorMuted:                      rgb(0x8e99a8),
	ColorWindow:                     rgb(0x14171c),
	ColorPanel:                      rgb(0x171a20),
	ColorCard:                       rgb(0x1b1f26),
	ColorRaised:                     rgb(0x222831),
	ColorLine:                       rgb(0x2c333e),
	ColorSelected:                   rgb(0x20262f),
	ColorMeasured:                   rgb(0x4aa3ff),
	ColorStripe:                     rgb(0x386ba2),
	ColorStripeDark:                 rgb(0x2d4b6d),
	ColorUsual:                      rgb(0x2d323b),
	ColorTick:                       rgb(0x8b909a),
	ColorOdd:                        rgb(0xf0b429),
	ColorOddBack:                    rgb(0x3a2f12),
	ColorMineBack:                   rgb(0x12304d),
	ColorShared:                     rgb(0xb98cff),
	ColorBad:                        rgb(0xff7b72),
	ColorOnMeasured:                 rgb(0x0b1622),
	ColorThumbA:                     rgb(0x2a4058),
	ColorThumbB:                     rgb(0x181f2b),
	theme.ColorNameButton:           rgb(0x222831),
	theme.ColorNameFocus:            rgba(0x4aa3ff, 0x60),
	theme.ColorNameSelection:        rgba(0x4aa3ff, 0x40),
	theme.ColorNameHyperlink:        rgb(0x4aa3ff),
	theme.ColorNameHover:            rgba(0xffffff, 0x0c),
	theme.ColorNamePressed:          rgba(0xffffff, 0x18),
	theme.ColorNameInputBackground:  rgb(0x1b1f26),
	theme.ColorNameInputBorder:      rgb(0x2c333e),
	theme.ColorNameMenuBackground:   rgb(0x1b1f26),
	theme.ColorNameHeaderBackground: rgb(0x1b1f26),
	theme.ColorNameScrollBar:        rgba(0xffffff, 0x40),
	// The toolkit fills dialogs with this.
	theme.ColorNameOverlayBackground: rgb(0x1b1f26),
}

var light = palette{
	ColorText:                        rgb(0x1a1e25),
	ColorMuted:                       rgb(0x58616f),
	ColorWindow:                      rgb(0xf3f5f8),
	ColorPanel:                       rgb(0xfafbfc),
	ColorCard:                        rgb(0xffffff),
	ColorRaised:                      rgb(0xe9edf2),
	ColorLine:                        rgb(0xd4dae2),
	ColorSelected:                    rgb(0xe8f0fa),
	ColorMeasured:                    rgb(0x1668c7),
	ColorStripe:                      rgb(0xa9cbf2),
	ColorStripeDark:                  rgb(0xc5dcf7),
	ColorUsual:                       rgb(0xdbe1e9),
	ColorTick:                        rgb(0x7c8694),
	ColorOdd:                         rgb(0x8a5a00),
	ColorOddBack:                     rgb(0xffefc7),
	ColorMineBack:                    rgb(0xdceafb),
	ColorShared:                      rgb(0x7440c9),
	ColorBad:                         rgb(0xb3261e),
	ColorOnMeasured:                  rgb(0xffffff),
	ColorThumbA:                      rgb(0xcdd9e6),
	ColorThumbB:                      rgb(0xe4eaf1),
	theme.ColorNameButton:            rgb(0xe9edf2),
	theme.ColorNameFocus:             rgba(0x1668c7, 0x60),
	theme.ColorNameSelection:         rgba(0x1668c7, 0x30),
	theme.ColorNameHyperlink:         rgb(0x1668c7),
	theme.ColorNameHover:             rgba(0x000000, 0x0a),
	theme.ColorNamePressed:           rgba(0x000000, 0x14),
	theme.ColorNameInputBackground:   rgb(0xffffff),
	theme.ColorNameInputBorder:       rgb(0xd4dae2),
	theme.ColorNameMenuBackground:    rgb(0xffffff),
	theme.ColorNameHeaderBackground:  rgb(0xffffff),
	theme.ColorNameScrollBar:         rgba(0x000000, 0x40),
	theme.ColorNameOverlayBackground: rgb(0xffffff),
}

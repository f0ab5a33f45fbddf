package widgets

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
)

// NewFlat lets the rows of a list touch: they draw their own lines between
// them, and the toolkit takes the gap from the padding.
func NewFlat(o fyne.CanvasObject) fyne.CanvasObject {
	return container.NewThemeOverride(o, flatTheme{})
}

type flatTheme struct{}

func (flatTheme) base() fyne.Theme { return fyne.CurrentApp().Settings().Theme() }

func (t flatTheme) Size(n fyne.ThemeSizeName) float32 {
	if n == theme.SizeNamePadding {
		return 0
	}
	return t.base().Size(n)
}

func (t flatTheme) Color(n fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	return t.base().Color(n, v)
}

func (t flatTheme) Font(s fyne.TextStyle) fyne.Resource { return t.base().Font(s) }

func (t flatTheme) Icon(n fyne.ThemeIconName) fyne.Resource { return t.base().Icon(n) }

package widgets

import "reckoner/app/theme"

// NewHeading makes the small line above a part of a page.
func NewHeading(s string) *Line { return NewLine(Heading(s)) }

// Heading makes its span.
func Heading(s string) Span {
	return Span{Text: s, Size: theme.SizeSmall, Bold: true, Color: theme.ColorMuted}
}

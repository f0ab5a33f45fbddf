package notes

import (
	"fyne.io/fyne/v2"

	"reckoner/app/theme"
	"reckoner/app/widgets"
)

// Box makes a note's box. opened is what its user opened: Test or ShowEvidence
// with its id, "" for neither. more stands at its end.
func Box(n State, opened string, act func(key string), more ...fyne.CanvasObject) fyne.CanvasObject {
	small := func(text string) fyne.CanvasObject {
		return widgets.NewParagraph(widgets.Span{Text: text, Size: theme.SizeSmall, Color: theme.ColorMuted})
	}
	objects := []fyne.CanvasObject{
		widgets.NewParagraph(widgets.Span{Text: n.Claim, Size: theme.SizeSmall, Bold: true}), small(n.Says),
	}
	button := func(key, label string) fyne.CanvasObject { return widgets.NewButton(label, func() { act(key) }) }
	var buttons []fyne.CanvasObject
	for _, a := range n.Actions {
		buttons = append(buttons, button(a.Key, a.Label))
	}
	objects = append(objects, widgets.NewFlow(6, buttons...))
	switch opened {
	case Test + " " + string(n.ID):
		objects = append(objects, small(n.Plan),
			widgets.NewFlow(6, button(BeginTest+" "+string(n.ID), "Start the test"), button(Test+" "+string(n.ID), "Not now")))
	case ShowEvidence + " " + string(n.ID):
		objects = append(objects, evidence(n.Evidence))
	}
	return widgets.NewNoteBox(append(objects, more...)...)
}

func evidence(lines []Seen) fyne.CanvasObject {
	rows := make([]fyne.CanvasObject, 0, len(lines))
	for _, l := range lines {
		rows = append(rows, widgets.NewTimed(
			widgets.NewLine(widgets.Span{Text: l.At, Size: theme.SizeSmall, Color: theme.ColorMuted}),
			widgets.NewParagraph(widgets.Span{Text: l.Text, Size: theme.SizeSmall}),
		))
	}
	return widgets.NewColumn(5, rows...)
}

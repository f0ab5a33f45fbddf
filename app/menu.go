package app

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

// menu is the main menu. It carries the shortcuts, because those of a canvas
// are dead while a field has the keyboard.
func (w *window) menu() *fyne.MainMenu {
	quit := item("Quit", fyne.KeyQ, w.quit)
	quit.IsQuit = true
	w.looks = w.newLooks()
	view := append([]*fyne.MenuItem{
		item("Queue", fyne.Key1, func() { w.shell.show(pageQueue); w.queue.FocusList(w.win.Canvas()) }),
		item("History", fyne.Key2, func() { w.shell.show(pageHistory); w.past.FocusList(w.win.Canvas()) }),
		item("Notes", fyne.Key3, func() { w.shell.show(pageNotes) }),
		item("Machines", fyne.Key4, w.showMachines),
		item("Settings", fyne.Key5, func() { w.shell.show(pageSettings) }),
		fyne.NewMenuItemSeparator(),
	}, w.lookItems()...)
	w.pause = item("Pause", fyne.KeyP, w.togglePause)
	w.undoItem = item("Undo", fyne.KeyZ, w.undo)
	return fyne.NewMainMenu(
		fyne.NewMenu("File",
			item("Add jobs…", fyne.KeyO, w.choose),
			shifted("Paste a workflow", fyne.KeyV, w.paste),
			item("Open results", fyne.KeyR, w.openResults),
			fyne.NewMenuItemSeparator(), quit),
		fyne.NewMenu("Queue",
			w.pause,
			item("Answer the question", fyne.KeyE, func() { w.shell.show(pageQueue); w.queue.FocusQuestion() }),
			fyne.NewMenuItem("Open the job's results (Enter)", w.queue.OpenSelected),
			fyne.NewMenuItem("Cancel the job… (Delete)", w.queue.CancelSelected),
			item("More for the job…", fyne.KeyM, w.queue.MenuOfSelected),
			w.undoItem,
			fyne.NewMenuItemSeparator(),
			item("Hand over to the servers…", fyne.KeyG, w.askHandOver),
			item("Take back what was handed over", fyne.KeyB, w.takeBack),
			fyne.NewMenuItemSeparator(),
			item("Send the job earlier", fyne.KeyUp, func() { w.queue.MoveSelected(true) }),
			item("Send the job later", fyne.KeyDown, func() { w.queue.MoveSelected(false) })),
		fyne.NewMenu("View", view...),
		fyne.NewMenu("Help", item("User guide", fyne.KeyH, w.showGuide), fyne.NewMenuItem("About Reckoner", func() {
			w.tell("Reckoner "+w.o.Version, "A render queue for ComfyUI that never says more than it knows.", nil)
		})),
	)
}

// showMachines shows the page of the machines, ready to type the first one's
// address.
func (w *window) showMachines() {
	w.shell.show(pageMachines)
	if s := w.o.Farm.Snapshot(); s != nil && len(s.Machines) == 0 {
		w.farm.FocusAddress(w.win.Canvas())
	}
}

// enterMachine shows that page, ready to type an address.
func (w *window) enterMachine() {
	w.shell.show(pageMachines)
	w.farm.FocusAddress(w.win.Canvas())
}

// item makes a menu item with a shortcut on the desktop's usual modifier.
func item(label string, key fyne.KeyName, do func()) *fyne.MenuItem {
	m := fyne.NewMenuItem(label, do)
	m.Shortcut = &desktop.CustomShortcut{KeyName: key, Modifier: fyne.KeyModifierShortcutDefault}
	return m
}

// shifted makes a menu item with a shortcut on that modifier and Shift.
func shifted(label string, key fyne.KeyName, do func()) *fyne.MenuItem {
	m := fyne.NewMenuItem(label, do)
	m.Shortcut = &desktop.CustomShortcut{KeyName: key, Modifier: fyne.KeyModifierShortcutDefault | fyne.KeyModifierShift}
	return m
}

package app

import (
	"context"
	"sync"

	"fyne.io/fyne/v2"
	fyneapp "fyne.io/fyne/v2/app"

	"reckoner/app/bridge"
	"reckoner/app/notify"
	"reckoner/app/thumbs"
	"reckoner/app/tray"
	"reckoner/assets"
)

// Run opens the window and blocks until it is gone: closed, quit, or because ctx
// ended. It has to be called from the main goroutine. When it returns, all its
// goroutines have ended; the farm goes on.
func Run(ctx context.Context, o Options) error {
	o.fill()
	outside := ctx
	ctx, cancel := context.WithCancel(outside)
	defer cancel()
	a := fyneapp.NewWithID(ID)
	lookOf(a.Preferences()).apply(a)
	a.SetIcon(fyne.NewStaticResource("reckoner.png", assets.Icon))

	var running sync.WaitGroup
	b := bridge.New()
	pictures := thumbs.Start(ctx, o.Log, o.Farm.Picture, b.Changed)
	w := newWindow(ctx, a, o, b, pictures, running.Go)
	if bus, _ := tray.Probe(ctx); bus {
		w.setUpTray()
	}
	a.Lifecycle().SetOnEnteredForeground(w.active)
	a.Lifecycle().SetOnStarted(func() {
		call(o.OnReady)
		w.lookForLocal()
		w.lookForAutostart()
		w.greet()
	})

	changes, stop := o.Farm.Changed()
	defer stop()
	running.Go(func() { b.Follow(ctx, changes) })
	running.Go(func() { b.Run(ctx, onScreen(ctx), w.update) })
	running.Go(func() { w.watch(ctx, outside) })
	running.Go(func() { w.remember(ctx) })
	if o.Follow != nil {
		running.Go(func() { w.hear(ctx, o.Follow()) })
		running.Go(func() {
			w.notify(ctx, o.Follow(), notify.NewBus("Reckoner", ID, func(c notify.Chosen) { w.do(func() { w.chosen(c) }) }))
		})
	}
	w.win.ShowAndRun()

	// What is after the toolkit's loop is done here and not in its hooks, which
	// do not always run.
	cancel()
	running.Wait()
	pictures.Wait()
	return nil
}

// onScreen gets work onto the goroutine of the user interface. After the
// window's end it does nothing: the toolkit would do it on the caller's.
func onScreen(ctx context.Context) func(func()) {
	return func(f func()) {
		if ctx.Err() == nil {
			fyne.Do(f)
		}
	}
}

// Package app is Reckoner's window: its frame and pages, the tray, the
// notifications and what is dropped on it.
//
// It owns the composition of the window and its life: Run blocks until the
// window is gone. It shows snapshots and sends commands; it must never do the
// engine's work, speak HTTP or open the store.
package app

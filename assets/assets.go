// Package assets holds what the program carries with it: its icons and sample jobs.
// It is data; it decides nothing and imports nothing of ours.
package assets

import _ "embed"

// Icon is the program's icon, a PNG of 512 pixels.
//
//go:embed icons/reckoner.png
var Icon []byte

// Tray icons, PNG of 64 pixels: they travel over D-Bus at that size, and Fyne's
// tray takes no SVG on Linux. They differ in shape, not only in colour.
var (
	//go:embed icons/tray-idle.png
	TrayIdle []byte // nothing runs
	//go:embed icons/tray-running.png
	TrayRunning []byte // a job runs
	//go:embed icons/tray-paused.png
	TrayPaused []byte // the queue is paused
	//go:embed icons/tray-attention.png
	TrayAttention []byte // a job needs its user
)

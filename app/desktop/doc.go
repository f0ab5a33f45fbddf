// Package desktop joins the command line to the window: it hands the window what
// the command line has opened for it. It is the only package that knows both, so
// that neither imports the other, and the only one that the headless build
// empties. It must never hold state or make a decision of its own.
package desktop

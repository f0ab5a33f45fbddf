// Package settings is the Settings page: the few things that a user decides for
// all jobs, for what the desktop is told, and for how the window looks.
//
// It owns how a setting is asked for and which choices there are. It hands every
// change on through callbacks and must never keep one by itself: what it shows is
// what the last snapshot, or whoever knows, says.
package settings

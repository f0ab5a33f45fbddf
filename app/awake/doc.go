// Package awake keeps this computer from going to sleep by itself while jobs run
// or wait, as long as it is on mains.
//
// It owns the request to the desktop and takes it back when it is no longer
// wanted or the program ends. It must never keep a computer awake on battery,
// never hinder somebody who sends it to sleep by hand, and a desktop that cannot be
// asked is no error of the program.
package awake

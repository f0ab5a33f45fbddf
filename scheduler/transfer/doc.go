// Package transfer brings results from render servers to this computer: it
// names them, writes them, and makes thumbnails of them.
//
// It owns what a result is called here and where it may be written. It never
// writes outside the folder that it is given, never leaves an incomplete file
// under a result's name, never replaces a file that is already there, and knows
// nothing of HTTP: whoever can open a file on a server is a Viewer.
package transfer

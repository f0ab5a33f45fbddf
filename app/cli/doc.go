// Package cli is Reckoner without its window: the commands and their flags, the
// JSON lines that scripts read, the socket of a running engine, and the wiring
// of the parts into one engine a data folder.
//
// It owns the promises of the command line: names of flags, exit statuses, the
// fields of JSON lines, and what is printed to whom. Its rules about jobs are
// the engine's; it never decides when something is sent, stopped or done.
//
// It never imports Fyne: everything here works in a build without a window. The
// window comes in as a function (Env.Window).
package cli

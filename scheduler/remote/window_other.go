//go:build !windows

package remote

import "os/exec"

// withoutWindow is for Windows, where ssh may open a console of its own.
func withoutWindow(*exec.Cmd) {}

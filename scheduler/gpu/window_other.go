//go:build !windows

package gpu

import "os/exec"

// withoutWindow is for Windows, where a tool may open a console of its own.
func withoutWindow(*exec.Cmd) {}

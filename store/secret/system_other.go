//go:build !linux && !freebsd && !netbsd && !openbsd && !dragonfly

package secret

import "runtime"

// systemAvailable tells whether the system has a keyring: Windows and macOS
// always do.
func systemAvailable() bool { return runtime.GOOS == "windows" || runtime.GOOS == "darwin" }

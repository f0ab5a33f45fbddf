//go:build headless

package desktop

import "reckoner/app/cli"

// Window returns nil: this build has none.
func Window() cli.WindowFunc { return nil }

//go:build headless

package main

import "reckoner/app/cli"

// window is nil: this build has none.
func window() cli.WindowFunc { return nil }

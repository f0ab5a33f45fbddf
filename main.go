// Command reckoner is a desktop render queue for people who run ComfyUI on one
// or more GPU machines.
package main

import (
	"context"
	"os"

	"reckoner/app/cli"
	"reckoner/app/desktop"
)

// version is set by the linker for releases.
var version = "0.1.0-dev"

func main() {
	os.Exit(cli.Run(context.Background(), os.Args[1:], cli.Env{
		Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Window: desktop.Window(), Version: version,
	}))
}

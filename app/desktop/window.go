//go:build !headless

package desktop

import (
	"context"

	"reckoner/app"
	"reckoner/app/cli"
	"reckoner/assets/text"
)

// Window returns the function that opens the window on the engine that the command line has started.
func Window() cli.WindowFunc {
	return func(ctx context.Context, w cli.Window) error {
		return app.Run(ctx, app.Options{
			Farm:     w.Engine,
			Follow:   func() app.Follower { return w.Engine.Follow() },
			Version:  w.Version,
			Words:    text.English,
			Demo:     w.Demo,
			SetAside: w.SetAside,
			Refused:  w.Refused,
			OutDir:   w.OutDir,
			NewID:    w.NewID,
			Show:     w.Show,
			Log:      w.Log,
		})
	}
}

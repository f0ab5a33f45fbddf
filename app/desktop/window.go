//go:build !headless

package desktop

import (
	"context"

	"reckoner/app"
	"reckoner/app/cli"
	"reckoner/assets/text"
	"reckoner/scheduler/job"
)

// Window returns the function that opens the window on the engine that the command line has started.
func Window() cli.WindowFunc {
	return func(ctx context.Context, w cli.Window) error {
		o := app.Options{
			Farm:     w.Engine,
			Follow:   func() app.Follower { return w.Engine.Follow() },
			Version:  w.Version,
			Words:    text.English,
			Demo:     w.Demo,
			SetAside: w.SetAside,
			Asked:    w.Asked,
			Added:    w.Added,
			OutDir:   w.OutDir,
			NewID:    w.NewID,
			Show:     w.Show,
			Log:      w.Log,

			Forget: w.Forget, AcceptHostKey: w.AcceptHostKey,
		}
		if w.Enter != nil {
			o.Enter = func(ctx context.Context, server job.ID, address, key string) (url, place string, err error) {
				got, err := w.Enter(ctx, server, address, key)
				return got.URL, got.Place, err
			}
		}
		return app.Run(ctx, o)
	}
}

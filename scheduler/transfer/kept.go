package transfer

import (
	"bytes"
	"context"
	"io"

	"reckoner/scheduler/job"
)

// WithKept gives a Viewer that takes what came over a websocket from where it
// was kept, and everything else from its server.
func WithKept(v Viewer, blob func(ctx context.Context, sha256 string) ([]byte, error)) Viewer {
	return withKept{v, blob}
}

type withKept struct {
	Viewer
	blob func(ctx context.Context, sha256 string) ([]byte, error)
}

// View opens a file from offset on.
func (k withKept) View(ctx context.Context, ref job.OutputRef, offset int64) (io.ReadCloser, int64, error) {
	if ref.Type != job.ViaSocket {
		return k.Viewer.View(ctx, ref, offset)
	}
	content, err := k.blob(ctx, ref.Subfolder)
	if err != nil {
		return nil, 0, err
	}
	from := min(max(offset, 0), int64(len(content)))
	return io.NopCloser(bytes.NewReader(content[from:])), int64(len(content)), nil
}

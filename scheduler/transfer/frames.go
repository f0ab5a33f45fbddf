package transfer

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// mostFrames is how many first frames are kept; then the oldest quarter goes.
	mostFrames    = 1000
	maxFrameBytes = 32 << 20
	frameEnding   = ".frame.png"
)

// frames are first frames of videos in a folder, so that none is read again at
// the next start. They are only there to save time: whatever goes wrong with the
// folder, a frame is read anew. An empty name keeps none.
type frames string

// name gives the file of a frame: that of a video as it is now, in one size.
func (d frames) name(video string, info fs.FileInfo, width, height int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %d %d %d %d", video, info.Size(), info.ModTime().UnixNano(), width, height))
	return hex.EncodeToString(sum[:]) + frameEnding
}

// get reads a kept frame, nil where there is none.
func (d frames) get(name string) []byte {
	if d == "" {
		return nil
	}
	f, err := os.Open(filepath.Join(string(d), name))
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	picture, err := io.ReadAll(io.LimitReader(f, maxFrameBytes))
	if err != nil {
		return nil
	}
	return picture
}

// put keeps a frame, whole or not at all.
func (d frames) put(name string, picture []byte) {
	if d == "" || os.MkdirAll(string(d), 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(string(d), ".*.part")
	if err != nil {
		return
	}
	_, err = f.Write(picture)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil || os.Rename(f.Name(), filepath.Join(string(d), name)) != nil {
		_ = os.Remove(f.Name())
		return
	}
	d.thin()
}

// thin removes the oldest frames when there are too many.
func (d frames) thin() {
	entries, err := os.ReadDir(string(d))
	if err != nil || len(entries) <= mostFrames {
		return
	}
	var kept []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), frameEnding) {
			kept = append(kept, info)
		}
	}
	slices.SortFunc(kept, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	for _, info := range kept[:max(0, len(kept)-mostFrames*3/4)] {
		_ = os.Remove(filepath.Join(string(d), info.Name()))
	}
}

package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"reckoner/scheduler/job"
)

const (
	sniffed = 16 // bytes of a file that tell a video
	// maxSaid is how much of what the tool says is kept.
	maxSaid = 4 << 10 // bytes
)

// videoKind gives what a tool calls the container of a video by its first bytes,
// "" for what is none.
func videoKind(head []byte) string {
	switch {
	case len(head) >= 12 && string(head[4:8]) == "ftyp" && !isStill(string(head[8:12])):
		return "mov"
	case bytes.HasPrefix(head, []byte("\x1aE\xdf\xa3")):
		return "matroska"
	case len(head) >= 12 && bytes.HasPrefix(head, []byte("RIFF")) && string(head[8:12]) == "AVI ":
		return "avi"
	}
	return ""
}

// isStill tells the pictures that are packed as videos are (AVIF, HEIC).
func isStill(brand string) bool {
	switch brand {
	case "avif", "heic", "heix", "mif1":
		return true
	}
	return false
}

func findTool() (string, error) { return exec.LookPath("ffmpeg") }

// readFrame has ffmpeg read the first frame of a video, as a PNG. The container is
// named, so that a file does not become a list of others, and only files are read.
func (p *Pictures) readFrame(ctx context.Context, file, kind string, width, height int) ([]byte, error) {
	tool, err := p.tool()
	if err != nil {
		return nil, noPicture(file, job.PictureNoTool, "", err)
	}
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, noPicture(file, job.PictureUnreadable, err.Error(), err)
	}
	ctx, cancel := context.WithTimeout(ctx, p.wait)
	defer cancel()
	size := fmt.Sprintf("scale=%d:%d:force_original_aspect_ratio=increase,crop=%d:%d", width, height, width, height)
	cmd := exec.CommandContext(ctx, tool,
		"-nostdin", "-hide_banner", "-loglevel", "error", "-threads", "1", "-protocol_whitelist", "file",
		"-f", kind, "-i", "file:"+path, "-an", "-sn", "-dn", "-frames:v", "1", "-vf", size,
		"-f", "image2pipe", "-c:v", "png", "pipe:1")
	var said, picture bounded
	said.most, picture.most = maxSaid, int64(width)*int64(height)*8+maxSaid
	cmd.Stderr, cmd.Stdout = &said, &picture
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, noPicture(file, job.PictureSlow, "", ctx.Err())
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		line, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		return nil, noPicture(file, job.PictureDamaged, line, err)
	}
	return picture.Bytes(), nil
}

// kept has a file made of a video in memory, for as long as it is looked at.
func (p *Pictures) kept(ctx context.Context, content []byte, kind string, width, height int) (image.Image, error) {
	if _, err := p.tool(); err != nil {
		return nil, noPicture("", job.PictureNoTool, "", err)
	}
	f, err := os.CreateTemp("", "reckoner-*")
	if err != nil {
		return nil, noPicture("", job.PictureUnreadable, err.Error(), err)
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(content)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, noPicture("", job.PictureUnreadable, err.Error(), err)
	}
	frame, err := p.readFrame(ctx, f.Name(), kind, width, height)
	if err != nil {
		return nil, err
	}
	return small("", bytes.NewReader(frame), width, height)
}

// bounded keeps the beginning of what is written to it, and takes the rest.
type bounded struct {
	bytes.Buffer
	most int64
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.most - int64(b.Len()); room > 0 {
		b.Buffer.Write(p[:min(int64(len(p)), room)])
	}
	return len(p), nil
}

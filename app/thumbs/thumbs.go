// Package thumbs makes small pictures of result files, away from the goroutine
// of the user interface.
//
// It owns a few workers and a bounded cache. It must never know the window: it
// reports that a picture became ready, and whoever shows it asks again.
package thumbs

import (
	"container/list"
	"context"
	"fmt"
	"image"
	_ "image/gif"  // results may be GIFs
	_ "image/jpeg" // or JPEGs
	_ "image/png"  // most are PNGs
	"io"
	"log/slog"
	"os"
	"sync"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // or WebPs
)

const (
	workers    = 2
	mostWanted = 64       // waiting to be made; more are asked for again later
	mostKept   = 32 << 20 // bytes of pixels
	mostPixels = 64 << 20 // of a file; larger ones get no small picture
	mostBytes  = 256 << 20
)

// Cache holds small pictures. See Start.
type Cache struct {
	log     *slog.Logger
	onReady func()
	wanted  chan key
	done    sync.WaitGroup

	mu     sync.Mutex
	known  map[key]*list.Element // of entry, the most recently used first
	recent *list.List
	bytes  int
}

type key struct {
	file          string
	width, height int
}

type entry struct {
	key     key
	picture image.Image // nil when it is being made, or cannot be
}

// Start makes a cache whose workers run until ctx ends. onReady is called from
// one of them when a picture became ready.
func Start(ctx context.Context, log *slog.Logger, onReady func()) *Cache {
	c := &Cache{
		log: log, onReady: onReady, wanted: make(chan key, mostWanted),
		known: map[key]*list.Element{}, recent: list.New(),
	}
	for range workers {
		c.done.Go(func() { c.work(ctx) })
	}
	return c
}

// Wait waits for the workers to end, after their context did.
func (c *Cache) Wait() { c.done.Wait() }

// Get gives the picture of a file that fills a field of this many pixels, or nil
// when there is none yet. It never waits.
func (c *Cache) Get(file string, width, height int) image.Image {
	if file == "" {
		return nil
	}
	k := key{file, width, height}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.known[k]; ok {
		c.recent.MoveToFront(e)
		return e.Value.(*entry).picture //nolint:forcetypeassert // only entries are put in
	}
	select {
	case c.wanted <- k:
		c.known[k] = c.recent.PushFront(&entry{key: k})
	default: // asked for again with the next look at the page
	}
	return nil
}

func (c *Cache) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case k := <-c.wanted:
			picture, err := makeSmall(k)
			if err != nil {
				c.log.DebugContext(ctx, "no small picture", "file", k.file, "error", err)
				continue // it stays known as having none
			}
			c.keep(k, picture)
			c.onReady()
		}
	}
}

// keep puts a picture into the cache and drops those not used for longest.
func (c *Cache) keep(k key, picture *image.RGBA) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.known[k]
	if !ok {
		return
	}
	e.Value.(*entry).picture = picture //nolint:forcetypeassert // only entries are put in
	c.bytes += len(picture.Pix)
	for c.bytes > mostKept && c.recent.Len() > 1 {
		last := c.recent.Back()
		old := last.Value.(*entry) //nolint:forcetypeassert // only entries are put in
		if p, ok := old.picture.(*image.RGBA); ok {
			c.bytes -= len(p.Pix)
		}
		c.recent.Remove(last)
		delete(c.known, old.key)
	}
}

// makeSmall reads a picture and scales it to cover a field.
func makeSmall(k key) (*image.RGBA, error) {
	f, err := os.Open(k.file)
	if err != nil {
		return nil, fmt.Errorf("open the picture: %w", err)
	}
	defer f.Close()
	config, _, err := image.DecodeConfig(io.LimitReader(f, mostBytes))
	if err != nil {
		return nil, fmt.Errorf("read the head of picture %s: %w", k.file, err)
	}
	if config.Width <= 0 || config.Height <= 0 || config.Width > mostPixels/config.Height {
		return nil, fmt.Errorf("picture %s is too large: %d by %d", k.file, config.Width, config.Height)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("read picture %s: %w", k.file, err)
	}
	full, _, err := image.Decode(io.LimitReader(f, mostBytes))
	if err != nil {
		return nil, fmt.Errorf("read picture %s: %w", k.file, err)
	}
	small := image.NewRGBA(image.Rect(0, 0, k.width, k.height))
	draw.ApproxBiLinear.Scale(small, small.Rect, full, covering(full.Bounds(), k.width, k.height), draw.Src, nil)
	return small, nil
}

// covering gives the middle part of a picture that has the shape of a field.
func covering(r image.Rectangle, width, height int) image.Rectangle {
	w, h := r.Dx(), r.Dy()
	if w*height > h*width {
		cut := h * width / height
		left := r.Min.X + (w-cut)/2
		return image.Rect(left, r.Min.Y, left+max(cut, 1), r.Max.Y)
	}
	cut := w * height / width
	top := r.Min.Y + (h-cut)/2
	return image.Rect(r.Min.X, top, r.Max.X, top+max(cut, 1))
}

// Package thumbs has small pictures of results and inputs made, away from the
// goroutine of the user interface.
//
// It owns a few workers and a bounded cache. It must never know the window, nor
// how a picture is made: it reports that one became ready, and whoever shows it
// asks again.
package thumbs

import (
	"container/list"
	"context"
	"errors"
	"image"
	"log/slog"
	"sync"

	"reckoner/scheduler/job"
)

const (
	workers    = 2
	mostWanted = 64       // waiting to be made; more are asked for again later
	mostKept   = 32 << 20 // bytes of pixels
	// least is what a picture that cannot be made counts for: its reason is kept.
	least = 4 << 10 // bytes
)

// Maker makes a picture of so many pixels, or says why there is none.
type Maker func(ctx context.Context, of job.Picture, width, height int) (image.Image, error)

// Cache holds small pictures. See Start.
type Cache struct {
	log     *slog.Logger
	maker   Maker
	onReady func()
	wanted  chan key
	done    sync.WaitGroup

	mu     sync.Mutex
	known  map[key]*list.Element // of entry, the most recently used first
	recent *list.List
	bytes  int
}

type key struct {
	of            job.Picture
	width, height int
}

type entry struct {
	key     key
	bytes   int // 0 before it was made
	frame   int // of what is live, the one that was asked for last
	making  bool
	picture image.Image // nil when it is being made, or cannot be
	why     *job.Error  // it cannot be
}

// Start makes a cache whose workers run until ctx ends. onReady is called from
// one of them when a picture became ready, or it became known that there is none.
func Start(ctx context.Context, log *slog.Logger, maker Maker, onReady func()) *Cache {
	c := &Cache{
		log: log, maker: maker, onReady: onReady, wanted: make(chan key, mostWanted),
		known: map[key]*list.Element{}, recent: list.New(),
	}
	for range workers {
		c.done.Go(func() { c.work(ctx) })
	}
	return c
}

// Wait waits for the workers to end, after their context did.
func (c *Cache) Wait() { c.done.Wait() }

// Get gives the picture that fills a field of this many pixels, or nil when there
// is none yet; why says why there is none, once that is known. It never waits.
func (c *Cache) Get(of job.Picture, width, height int) (picture image.Image, why *job.Error) {
	if of == (job.Picture{}) {
		return nil, nil
	}
	frame := of.Frame
	of.Frame = 0 // a newer frame takes the place of the one before
	k := key{of, width, height}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.known[k]; ok {
		c.recent.MoveToFront(e)
		found := e.Value.(*entry) //nolint:forcetypeassert // only entries are put in
		if found.frame != frame && !found.making {
			found.making = c.want(k)
			if found.making {
				found.frame = frame
			}
		}
		return found.picture, found.why
	}
	if c.want(k) {
		c.known[k] = c.recent.PushFront(&entry{key: k, frame: frame, making: true})
	}
	return nil, nil
}

// want lets a picture be made; when too many are wanted it is asked for again with
// the next look at the page.
func (c *Cache) want(k key) bool {
	select {
	case c.wanted <- k:
		return true
	default:
		return false
	}
}

func (c *Cache) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case k := <-c.wanted:
			picture, err := c.maker(ctx, k.of, k.width, k.height)
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				c.log.DebugContext(ctx, "no small picture", "file", k.of.File, "error", err)
			}
			c.keep(k, picture, err)
			c.onReady()
		}
	}
}

// keep puts a picture into the cache and drops those not used for longest.
func (c *Cache) keep(k key, picture image.Image, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.known[k]
	if !ok {
		return
	}
	made := e.Value.(*entry) //nolint:forcetypeassert // only entries are put in
	made.making = false
	if err != nil && made.picture != nil {
		return // what is live: the frame before stays
	}
	c.bytes -= made.bytes
	made.bytes, made.why = least, nil
	if err != nil {
		made.why = job.Errorf(job.ErrNoPicture, job.Args{File: k.of.File, Value: job.PictureUnknown}, err)
		if coded, ok := errors.AsType[*job.Error](err); ok {
			made.why = coded
		}
	} else {
		made.picture = picture
		made.bytes += 4 * picture.Bounds().Dx() * picture.Bounds().Dy()
	}
	c.bytes += made.bytes
	for c.bytes > mostKept && c.recent.Len() > 1 {
		last := c.recent.Back()
		old := last.Value.(*entry) //nolint:forcetypeassert // only entries are put in
		c.bytes -= old.bytes
		c.recent.Remove(last)
		delete(c.known, old.key)
	}
}

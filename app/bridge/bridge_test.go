package bridge

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// start runs a bridge whose updates happen at once, and counts them.
func start(t *testing.T, b *Bridge) (count func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var n atomic.Int64
	var running sync.WaitGroup
	running.Go(func() { b.Run(ctx, func(f func()) { f() }, func() { n.Add(1) }) })
	t.Cleanup(func() { cancel(); running.Wait() })
	return func() int { synctest.Wait(); return int(n.Load()) }
}

// pass lets time go by. Every test here is in a bubble of its own time
// (testing/synctest), where a sleep ends as soon as everybody waits.
func pass(d time.Duration) { time.Sleep(d) }

func TestAFloodOfChangesIsAtMostFourUpdatesASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		count := start(t, b)
		for range 10_000 {
			b.Changed()
			pass(time.Millisecond)
		}
		// 10 s at one every 250 ms, and the first at once.
		if n := count(); n < 39 || n > 41 {
			t.Errorf("10 s of changes made %d updates, want about 40", n)
		}
	})
}

func TestALateChangeIsNotForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		count := start(t, b)
		b.Changed()
		if n := count(); n != 1 {
			t.Fatalf("the first change made %d updates, want 1 at once", n)
		}
		b.Changed()
		if n := count(); n != 1 {
			t.Fatalf("a change right after made an update at once: %d", n)
		}
		pass(Period)
		if n := count(); n != 2 {
			t.Errorf("after the period there were %d updates, want 2", n)
		}
	})
}

func TestNothingIsUpdatedWhileHidden(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		count := start(t, b)
		b.Hide()
		for range 100 {
			b.Changed()
			pass(Period)
		}
		if n := count(); n != 0 {
			t.Fatalf("a hidden window got %d updates", n)
		}
		b.Show()
		pass(Period)
		if n := count(); n != 1 {
			t.Errorf("showing the window again made %d updates, want 1", n)
		}
	})
}

func TestAnUpdateThatIsNotDoneHoldsTheNextOneBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		var queued atomic.Int64
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { b.Run(ctx, func(func()) { queued.Add(1) }, func() {}) })
		for range 20 {
			b.Changed()
			pass(Period)
		}
		synctest.Wait()
		if queued.Load() != 1 {
			t.Errorf("%d updates were queued on a window that does none, want 1", queued.Load())
		}
		cancel()
		running.Wait()
	})
}

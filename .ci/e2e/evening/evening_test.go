// Package evening is an evening with the real window as a person spends one: a
// machine is added, twelve files of all kinds are dropped, the queue is paused and
// put into another order, a job is held and sent anyway, one is cancelled, the
// window goes into the tray and comes back, and the next start picks up what the
// server did meanwhile. What happens is checked by what the program tells beside
// it.
package evening

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reckoner/e2e/desk"
)

var (
	program = flag.String("reckoner", "", "the program to test, built with its window")
	shots   = flag.String("shots", "", "a folder for pictures of the window at each step")
)

// jobs is how many jobs the twelve files are.
const jobs = 11

func TestAnEvening(t *testing.T) {
	if *program == "" {
		t.Fatal("say which program to test: -args -reckoner=PATH")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()

	// Given a desktop with a tray, a render server, and a program without a past
	d, err := desk.Open(ctx, 1366, 860)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := d.ServeTray(); err != nil {
		t.Fatal(err)
	}
	e := &night{t: t, ctx: ctx, desk: d, data: t.TempDir()}
	e.simulate()
	e.open()

	e.addMachine()
	single := e.dropFiles()
	e.reorder(single)
	e.holdAndSend(single)
	e.cancelOne()
	e.intoTheTrayAndBack()
	e.leaveAndComeBack()
}

// addMachine types the first machine's address.
func (e *night) addMachine() {
	e.must(e.desk.Press("ctrl+4"))
	e.shot("machines")
	e.must(e.desk.Type(e.server), e.desk.Press("Return"))
	e.event("its GPU is read", "reading")
	e.must(e.desk.Press("ctrl+1"))
	e.shot("machine")
}

// dropFiles pauses the queue and drops a job, then eleven other files of all kinds
// together. It gives the first job.
func (e *night) dropFiles() (single string) {
	e.must(e.desk.Press("ctrl+p"))
	files := makeFiles(e.t)
	e.must(e.window.Drop(e.ctx, 400, 500, files[0]))
	single = e.event("a single file is queued", "job_added").Job
	e.must(e.window.Drop(e.ctx, 400, 500, files[1:]...))
	// They are shown before they are added: the first button adds them all.
	e.pressUntil("all are queued", "Return", func() bool { return e.count("job_added") == jobs })
	e.shot("dropped")
	e.must(e.desk.Press("Escape")) // what was refused has been said
	held := 0
	e.until("all are held by the pause", 10*time.Second, func() error {
		for _, ev := range e.seen() {
			if ev.Event == "job_held" && slices.ContainsFunc(ev.Reasons, func(r reason) bool { return r.Code == "queue_paused" }) {
				held++
			}
		}
		if held < jobs {
			return fmt.Errorf("%d of %d", held, jobs)
		}
		return nil
	})
	return single
}

// reorder puts the batch before the job that was there first.
func (e *night) reorder(single string) {
	e.shot("waiting")
	// The first row is chosen; it goes behind the other one.
	e.must(e.desk.Press("Home", "ctrl+Down"))
	e.until("another one is the first", 5*time.Second, func() error {
		if first := e.waiting()[0]; first == single {
			return errors.New("it still is")
		}
		return nil
	})
	e.shot("reordered")
	e.must(e.desk.Press("ctrl+Up")) // and back
	e.until("it is the first again", 5*time.Second, func() error {
		if first := e.waiting()[0]; first != single {
			return fmt.Errorf("the first is %s", first)
		}
		return nil
	})
}

// holdAndSend lets somebody else's prompt hold the queue, and sends one job anyway.
func (e *night) holdAndSend(single string) {
	e.submit(longPrompt)
	e.must(e.desk.Press("ctrl+p")) // the queue goes on
	e.until("they are held by other work", 20*time.Second, func() error {
		for _, ev := range e.seen() {
			if ev.Event == "job_held" && slices.ContainsFunc(ev.Reasons, func(r reason) bool { return r.Code == "foreign_prompts" }) {
				return nil
			}
		}
		return fmt.Errorf("nothing of it in %d events", len(e.seen()))
	})
	e.shot("held")
	e.must(e.desk.Press("Home"))
	e.shot("chosen")
	// More...: time limit, run on, priority, first, last, send anyway
	e.must(e.desk.Press("ctrl+m"))
	e.shot("menu")
	e.must(e.desk.Press("Down", "Down", "Down", "Down", "Down", "Down", "Return"))
	e.until("it is sent all the same", 8*time.Second, func() error { // theirs takes 15 s
		for _, ev := range e.seen() {
			if ev.Event == "run_submitted" && ev.Job == single {
				return nil
			}
		}
		return errors.New("not sent")
	})
	e.shot("sent")
}

// cancelOne cancels the last job of the queue.
func (e *night) cancelOne() {
	e.must(e.desk.Press("End", "Right", "End")) // the batch, opened, and its last one
	e.shot("last")
	e.must(e.desk.Press("Delete"))
	e.until("it is cancelled", 10*time.Second, func() error {
		for _, ev := range e.seen() {
			if ev.Event == "job_ended" && ev.Outcome == "cancelled" {
				return nil
			}
		}
		return errors.New("nothing was cancelled")
	})
}

// intoTheTrayAndBack closes the window, which goes on in the tray, and shows it.
func (e *night) intoTheTrayAndBack() {
	e.must(e.window.Close())
	e.shot("closed")
	e.pressUntil("it is told once that it goes on, and hides", "Return", func() bool {
		shown, err := e.window.Visible()
		e.must(err)
		return !shown
	})
	e.until("a job ends while nobody looks", 60*time.Second, func() error {
		if e.count("job_ended") < 2 { // beside the one that was cancelled
			return errors.New("none has")
		}
		return nil
	})
	e.must(e.desk.ChooseInTray(e.within(5*time.Second), "Show"))
	w, err := e.desk.Window(e.within(10*time.Second), "Reckoner")
	e.must(err)
	e.window = w
	e.must(e.window.Focus())
	e.shot("back")
}

// leaveAndComeBack quits with jobs open, and starts again.
func (e *night) leaveAndComeBack() {
	e.must(e.desk.Press("ctrl+q"))
	e.shot("quit")
	e.must(e.desk.Press("Tab")) // Keep in the tray, then Leave: the second of the ways
	e.window.Settle(e.ctx)
	e.pressUntil("it has ended", "Return", e.gone)
	e.open()
	e.until("every job has its end", 90*time.Second, func() error {
		if n := e.count("job_ended"); n < jobs {
			return fmt.Errorf("%d of %d", n, jobs)
		}
		return nil
	})
	e.shot("done")
	results := e.results()
	if len(results) != jobs-1 { // one was cancelled
		e.t.Errorf("%d results, want %d: %s", len(results), jobs-1, strings.Join(results, " "))
	}
	e.must(e.desk.Press("ctrl+q")) // nothing waits, so nothing is asked
	e.until("it has ended", 15*time.Second, func() error {
		if !e.gone() {
			return errors.New("it still runs")
		}
		return nil
	})
	for _, bad := range []string{"Error in Fyne call thread", "panic:", "DATA RACE"} {
		if strings.Contains(e.stderr.String(), bad) {
			e.t.Errorf("it wrote %q", bad)
		}
	}
}

// shot waits until the window shows what there is, as a person does, and keeps a
// picture of it when somebody wants to look.
func (e *night) shot(name string) {
	e.t.Helper()
	e.window.Settle(e.ctx)
	if *shots == "" {
		return
	}
	pic, err := e.window.Picture()
	e.must(err)
	e.shotNumber++
	f, err := os.Create(filepath.Join(*shots, fmt.Sprintf("%02d-%s.png", e.shotNumber, name)))
	e.must(err)
	e.must(png.Encode(f, pic), f.Close())
}

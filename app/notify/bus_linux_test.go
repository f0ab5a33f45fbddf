package notify

import (
	"slices"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"reckoner/app/bustest"
	"reckoner/scheduler/job"
)

// desktop is a notification service on a session bus of the test's own.
type desktop struct {
	t     *testing.T
	conn  *dbus.Conn
	can   []string
	shown chan []string // the actions of what is shown
}

func (d *desktop) GetCapabilities() ([]string, *dbus.Error) { return d.can, nil }

func (d *desktop) Notify(
	_ string, _ uint32, _, _, _ string, actions []string, _ map[string]dbus.Variant, _ int32,
) (uint32, *dbus.Error) {
	d.shown <- actions
	return 7, nil
}

// choose clicks on an action of a notification.
func (d *desktop) choose(id uint32, key string) {
	d.t.Helper()
	if err := d.conn.Emit(busPath, busName+".ActionInvoked", id, key); err != nil {
		d.t.Fatal(err)
	}
}

func openDesktop(t *testing.T, can ...string) *desktop {
	t.Helper()
	conn := bustest.Open(t)
	d := &desktop{t: t, conn: conn, can: can, shown: make(chan []string, 10)}
	if err := conn.Export(d, busPath, busName); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName(busName, dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	return d
}

func got[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(20 * time.Second):
		t.Fatal("nothing came")
		panic("not reached")
	}
}

func TestWhatIsChosenOnANotificationIsTold(t *testing.T) {
	// Given a desktop that offers choices
	d := openDesktop(t, "body", "actions")
	chosen := make(chan Chosen, 10)
	b := NewBus("Reckoner", "reckoner", func(c Chosen) { chosen <- c })
	defer func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}()
	stop := Choice{Label: "Release", Question: "q", Answer: job.Release}
	n := Note{Title: "old-town", Body: "done", Job: "job-1", Choices: []Choice{{Label: "Wait", Question: "q", Answer: job.KeepWaiting}, stop}}
	// when a notification is shown, then it has them
	if err := b.Send(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	if want := []string{"default", "Show", "choice-0", "Wait", "choice-1", "Release"}; !slices.Equal(got(t, d.shown), want) {
		t.Errorf("want %q", want)
	}
	// and what is chosen is told; what is somebody else's, or none of them, is not
	d.choose(8, "default")
	d.choose(7, "choice-9")
	d.choose(7, "choice-x")
	d.choose(7, "choice-1")
	if c := got(t, chosen); c != (Chosen{Job: "job-1", Choice: stop}) {
		t.Errorf("%+v", c)
	}
	d.choose(7, "default")
	if c := got(t, chosen); c != (Chosen{Job: "job-1"}) {
		t.Errorf("%+v", c)
	}
}

func TestADesktopWithoutChoicesShowsPlainNotifications(t *testing.T) {
	d := openDesktop(t, "body")
	b := NewBus("Reckoner", "reckoner", func(Chosen) { t.Error("something was chosen") })
	if err := b.Send(t.Context(), Note{Title: "old-town", Job: "job-1", Choices: []Choice{{Label: "Wait"}}}); err != nil {
		t.Fatal(err)
	}
	if actions := got(t, d.shown); len(actions) != 0 {
		t.Errorf("it offers %q", actions)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

func TestANotificationKnowsItsOnlyJobAndQuestion(t *testing.T) {
	ended := func(id job.ID) job.Event { return job.Event{Kind: job.EventJobEnded, Job: &job.Job{ID: id}} }
	asked := job.Event{Kind: job.EventQuestion, Question: &job.Question{ID: "q", Answers: []job.Answer{job.TryAgain, job.GiveUp}}}
	for name, c := range map[string]struct {
		events  []job.Event
		job     job.ID
		choices int
	}{
		"one job":           {[]job.Event{ended("a"), ended("a")}, "a", 0},
		"two jobs":          {[]job.Event{ended("a"), ended("b")}, "", 0},
		"a question":        {[]job.Event{asked}, "", 2},
		"two questions":     {[]job.Event{asked, asked}, "", 0},
		"a job, a question": {[]job.Event{ended("a"), asked}, "a", 2},
	} {
		var n Note
		n.about(c.events, func(a job.Answer) string { return string(a) })
		if n.Job != c.job || len(n.Choices) != c.choices {
			t.Errorf("%s: %+v", name, n)
		}
	}
}

package app

import (
	"context"
	"errors"
	"image"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/storage"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/bridge"
	"reckoner/app/machines"
	"reckoner/app/notify"
	"reckoner/app/scenetest"
	"reckoner/app/theme"
	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// fakeFarm keeps what the window asks of it.
type fakeFarm struct {
	snap     *scheduler.Snapshot
	sent     []scheduler.Command
	asked    []scheduler.AddRequest
	added    scheduler.Added
	err      error
	machine  job.Machine
	servers  []job.Server
	history  []job.HistoryRow
	queries  []job.HistoryQuery
	removed  []job.ID
	probed   []string
	checked  []job.ID
	lookedAt []job.ID
	checkup  job.Checkup
	info     job.ServerInfo
	local    []string

	readings []job.Reading
	usual    []scheduler.UsualTime
	preview  scheduler.Preview
	repeated []int
	values   []scheduler.NodeValue
	revised  []scheduler.NodeValue
	handed   []int // counts asked for
	takes    int   // of what is handed over
	// kept is what opens a server, by its id.
	kept  map[job.ID]string
	known []string // computers behind ssh
}

func (f *fakeFarm) Preview(context.Context, scheduler.AddRequest) (scheduler.Preview, error) {
	return f.preview, f.err
}

func (f *fakeFarm) Repeat(_ context.Context, _ job.ID, times int) ([]*job.Job, error) {
	f.repeated = append(f.repeated, times)
	return nil, f.err
}

func (f *fakeFarm) Values(context.Context, job.ID) ([]scheduler.NodeValue, error) {
	return f.values, f.err
}

func (f *fakeFarm) Revise(_ context.Context, _ job.ID, values []scheduler.NodeValue) error {
	f.revised = values
	return f.err
}

func (f *fakeFarm) HandOver(_ context.Context, count int) (int, error) {
	f.handed = append(f.handed, count)
	return f.takes, f.err
}

// Picture makes none.
func (f *fakeFarm) Picture(context.Context, job.Picture, int, int) (image.Image, error) {
	return nil, job.Errorf(job.ErrNoPicture, job.Args{}, nil)
}

// Enter keeps what opens a server, as the command line does.
func (f *fakeFarm) Enter(_ context.Context, server job.ID, address, key string) (url, place string, err error) {
	if f.kept == nil {
		f.kept = map[job.ID]string{}
	}
	at, _ := serverURL(address)
	f.kept[server] = address + " " + key
	return at.bare.String(), placeFile, nil
}

func (f *fakeFarm) Forget(_ context.Context, server job.ID) error {
	delete(f.kept, server)
	return nil
}

func (f *fakeFarm) AcceptHostKey(_ context.Context, address, fingerprint string) error {
	f.known = append(f.known, address+" "+fingerprint)
	return f.err
}

func (f *fakeFarm) Snapshot() *scheduler.Snapshot      { return f.snap }
func (f *fakeFarm) Changed() (<-chan struct{}, func()) { return nil, func() {} }
func (f *fakeFarm) Do(c scheduler.Command)             { f.sent = append(f.sent, c) }

func (f *fakeFarm) Add(_ context.Context, r scheduler.AddRequest) (scheduler.Added, error) {
	f.asked = append(f.asked, r)
	return f.added, f.err
}

func (f *fakeFarm) AddMachine(_ context.Context, m job.Machine, servers []job.Server) error {
	f.machine, f.servers = m, servers
	return f.err
}

func (f *fakeFarm) RemoveMachine(_ context.Context, id job.ID) error {
	f.removed = append(f.removed, id)
	return f.err
}

func (f *fakeFarm) Probe(_ context.Context, url string, _ ...string) (job.ServerInfo, error) {
	f.probed = append(f.probed, url)
	return f.info, f.err
}

func (f *fakeFarm) Check(_ context.Context, server job.ID) (job.Checkup, error) {
	f.checked = append(f.checked, server)
	return f.checkup, f.err
}

func (f *fakeFarm) TestSource(context.Context, string) ([]job.Reading, error) {
	return f.readings, f.err
}

func (f *fakeFarm) UsualTimes(context.Context, string) ([]scheduler.UsualTime, error) {
	return f.usual, f.err
}

func (f *fakeFarm) LookForLocal(context.Context) []string { return f.local }

func (f *fakeFarm) LookForOthers(_ context.Context, machine job.ID) ([]string, error) {
	f.lookedAt = append(f.lookedAt, machine)
	return []string{"http://gpu-1:8190"}, f.err
}

func (f *fakeFarm) CorrectRun(context.Context, scheduler.Correction) (job.Run, error) {
	return job.Run{}, nil
}

func (f *fakeFarm) History(_ context.Context, q job.HistoryQuery) ([]job.HistoryRow, error) {
	f.queries = append(f.queries, q)
	return f.history, f.err
}

// open opens a window on a farm. Everything in it happens on the test's own
// goroutine, one after the other.
func open(t *testing.T, f *fakeFarm) *window {
	t.Helper()
	a := test.NewTempApp(t)
	a.Settings().SetTheme(theme.New(theme.Dark, 1))
	o := Options{
		Farm: f, Words: text.English, Enter: f.Enter, Forget: f.Forget, AcceptHostKey: f.AcceptHostKey,
	}
	o.fill()
	w := newWindow(t.Context(), a, o, bridge.New(), noPictures{}, func(g func()) { g() })
	w.typing = 0
	open := true
	w.win.SetOnClosed(func() { open = false })
	t.Cleanup(func() {
		if open {
			w.win.Close()
		}
	})
	return w
}

// words gathers all text of an object and of what is in it.
func words(o fyne.CanvasObject) string {
	var all []string
	for _, o := range test.LaidOutObjects(o) {
		switch v := o.(type) {
		case *widgets.Line:
			all = append(all, v.Text())
		case *widgets.Button:
			all = append(all, v.Text())
		}
	}
	return strings.Join(all, "\n")
}

// overlay gives the text of the dialog on top, "" when there is none.
func overlay(w *window) string {
	top := w.win.Canvas().Overlays().Top()
	if top == nil {
		return ""
	}
	return words(container.NewStack(top))
}

func TestDroppedFilesAreAdded(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Story()}
	w := open(t, f)
	elsewhere, err := storage.ParseURI("https://example.org/x.json")
	if err != nil {
		t.Fatal(err)
	}
	w.dropped(fyne.Position{}, []fyne.URI{
		storage.NewFileURI("/jobs/a b é.json"), elsewhere, storage.NewFileURI("/jobs/c.json"),
	})
	if len(f.asked) != 1 || !slices.Equal(f.asked[0].Files, []string{"/jobs/a b é.json", "/jobs/c.json"}) {
		t.Errorf("asked for %+v, want both files of this computer, together", f.asked)
	}
	if said := overlay(w); said != "" {
		t.Errorf("files that were queued make a dialog: %s", said)
	}
}

func TestARefusedFileSaysWhatItIsAndWhatWouldHelp(t *testing.T) {
	e := job.Errorf(job.ErrUIFormat, job.Args{File: "/jobs/flow.json"}, nil)
	f := &fakeFarm{snap: scenetest.Story(), added: scheduler.Added{
		Jobs: []*job.Job{{}}, Refused: []scheduler.Refusal{{File: "/jobs/flow.json", Err: e}},
	}}
	w := open(t, f)
	w.add([]string{"/jobs/flow.json", "/jobs/good.json"})
	said := overlay(w)
	what, next := text.English.Error(e)
	for _, want := range []string{"flow.json", what, next} {
		if want == "" || !strings.Contains(said, want) {
			t.Errorf("the dialog does not say %q:\n%s", want, said)
		}
	}
}

func TestWhichNodeReadsThePicturesIsAskedOnce(t *testing.T) {
	e := job.Errorf(job.ErrWhichInput, job.Args{File: "1.png", Count: 2, Allowed: []string{"Start", "End"}}, nil)
	f := &fakeFarm{snap: scenetest.Story(), added: scheduler.Added{
		Refused: []scheduler.Refusal{{File: "/jobs/flow.json", Err: e}},
	}}
	w := open(t, f)
	files := []string{"/jobs/flow.json", "/jobs/1.png"}
	w.add(files)
	f.added = scheduler.Added{Jobs: []*job.Job{{}}}
	for _, o := range test.LaidOutObjects(w.win.Canvas().Overlays().Top()) {
		if b, ok := o.(*widgets.Button); ok && b.Text() == "End" {
			test.Tap(b)
		}
	}
	if len(f.asked) != 2 || f.asked[1].Input != "End" || !slices.Equal(f.asked[1].Files, files) {
		t.Errorf("asked for %+v, want the same files for the node that was chosen", f.asked)
	}
	if said := overlay(w); said != "" {
		t.Errorf("the question stays: %s", said)
	}
}

func TestAnErrorOfTheFarmIsShown(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Story(), err: errors.New("the disk is full")}
	w := open(t, f)
	w.add([]string{"/jobs/good.json"})
	if said := overlay(w); !strings.Contains(said, "the disk is full") {
		t.Errorf("the dialog says %q", said)
	}
}

func TestPauseAndResume(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Story()}
	w := open(t, f)
	w.togglePause()
	paused := scenetest.Story()
	paused.Paused = true
	f.snap = paused
	w.update()
	if w.pause.Label != "Resume" || !strings.Contains(words(w.shell), "Resume") {
		t.Error("a paused queue does not offer to resume")
	}
	w.togglePause()
	if want := []scheduler.Command{scheduler.Pause{On: true}, scheduler.Pause{On: false}}; !slices.Equal(f.sent, want) {
		t.Errorf("sent %v, want %v", f.sent, want)
	}
}

func TestEveryShortcutIsOnTheMenu(t *testing.T) {
	w := open(t, &fakeFarm{snap: scenetest.Story()})
	var keys []string
	for _, m := range w.win.MainMenu().Items {
		for _, i := range m.Items {
			if i.Shortcut != nil {
				keys = append(keys, i.Shortcut.ShortcutName())
			}
		}
	}
	for _, want := range []string{"Control+O", "Control+P", "Control+Q"} {
		if !slices.ContainsFunc(keys, func(k string) bool { return strings.HasSuffix(k, want) }) {
			t.Errorf("%s is not among the menu's shortcuts %v", want, keys)
		}
	}
}

func TestAFirstStartOffersToAddAMachine(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Empty()}
	w := open(t, f)
	if said := words(w.shell); !strings.Contains(said, "No machine yet") || !strings.Contains(said, "reckoner --demo") {
		t.Errorf("a first start says\n%s", said)
	}
	w.shell.show(pageMachines)
	problem := "not called"
	w.addMachine(machines.Wish{Address: "studio", Source: "nvidia-smi"}, func(p string) { problem = p })
	if problem != "" || f.machine.Name != "studio" || !f.machine.Saved || len(f.servers) != 1 {
		t.Fatalf("problem %q, machine %+v, servers %+v", problem, f.machine, f.servers)
	}
	if s := f.servers[0]; s.URL != "http://studio:8188" || s.Machine != f.machine.ID || s.ID == "" || s.ClientID == "" {
		t.Errorf("the server is %+v", s)
	}
}

func TestAddresses(t *testing.T) {
	for in, want := range map[string]string{
		"gpu-1":                         "http://gpu-1:8188",
		"gpu-1:9000":                    "http://gpu-1:9000",
		"http://gpu-1":                  "http://gpu-1",
		"https://render.example/comfy/": "https://render.example/comfy",
		"[::1]:8188":                    "http://[::1]:8188",
		"http://me:secret@gpu-1:8188":   "http://gpu-1:8188",
		"http://GPU-1:8188/?token=x":    "http://gpu-1:8188",
		"me:secret@gpu-1":               "http://gpu-1:8188",
		"ftp://gpu-1":                   "",
		"ssh:me@gpu-9":                  "ssh:me@gpu-9",
		"ssh:root@1.2.3.4:41022/8000":   "ssh:root@1.2.3.4:41022/8000",
		"ssh:":                          "",
		"ssh:-oProxyCommand=x@h":        "",
		"http://":                       "",
		"a b":                           "",
	} {
		got := ""
		if u, ok := serverURL(in); ok {
			got = u.bare.String()
		}
		if got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestTheHistoryIsReadWhenItIsLookedAt(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Story(), history: []job.HistoryRow{{
		Job: job.Job{Name: "dune-sunrise"},
		Run: job.Run{Ended: scenetest.Now(), Outcome: job.RunSucceeded, Seconds: job.Known(182.0), Label: job.Clean},
	}}}
	w := open(t, f)
	if len(f.queries) != 0 {
		t.Fatal("the history was read before anybody looked at it")
	}
	w.shell.show(pageHistory)
	w.update()
	w.update()
	if len(f.queries) != 1 {
		t.Errorf("the history was read %d times for one look", len(f.queries))
	}
	if said := words(w.shell); !strings.Contains(said, "took 3 min 2 s") || !strings.Contains(said, "GPU to itself") {
		t.Errorf("the page says\n%s", said)
	}
}

func TestOpeningWhatIsGoneSaysSo(t *testing.T) {
	w := open(t, &fakeFarm{snap: scenetest.Story()})
	w.open(filepath.Join(t.TempDir(), "moved.png"))
	if said := overlay(w); !strings.Contains(said, "moved or deleted") {
		t.Errorf("the dialog says %q", said)
	}
}

// Without a tray nobody could bring a hidden window back.
func TestClosingWithoutATrayQuits(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	w := open(t, &fakeFarm{snap: scenetest.Empty()})
	w.closing()
	if slices.Contains(w.app.Driver().AllWindows(), w.win) || w.hidden {
		t.Errorf("the window is still there, hidden %v; want it closed", w.hidden)
	}
}

func TestTheHistoryIsExportedWhole(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Story(), history: []job.HistoryRow{
		{Job: job.Job{Name: "a"}, Run: job.Run{Outcome: job.RunSucceeded}}, {Job: job.Job{Name: "b"}, Run: job.Run{Outcome: job.RunFailed}},
	}}
	w := open(t, f)
	var b closing
	w.export(&b, "h.csv", func(h job.HistoryRow) (string, bool) { return "attic", h.Run.Outcome == job.RunFailed })
	if lines := strings.Split(strings.TrimSpace(b.String()), "\n"); len(lines) != 2 || !strings.Contains(lines[1], ",b,") || !b.closed {
		t.Errorf("closed %v, wrote %q", b.closed, lines)
	}
	if said := overlay(w); !strings.Contains(said, "1 run is in h.csv") {
		t.Errorf("the dialog says %q", said)
	}
}

// closing is a file in memory.
type closing struct {
	strings.Builder
	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }

func TestLooksThatNobodyChoseAreNotTaken(t *testing.T) {
	p := test.NewTempApp(t).Preferences()
	p.SetString(prefTheme, "pink")
	p.SetInt(prefText, 9000)
	if got := lookOf(p); got != (look{"desktop", 100}) {
		t.Errorf("the looks are %+v", got)
	}
}

func TestTheStartSaysWhatItFound(t *testing.T) {
	refused := []scheduler.Refusal{{File: "/jobs/flow.json", Err: job.Errorf(job.ErrNotWorkflow, job.Args{}, nil)}}
	warned := []scheduler.Warning{{File: "/jobs/two.png", Say: job.Say{Code: job.WarnOtherJob, Args: job.Args{Count: 1, Node: "3"}}}}
	for _, c := range []struct {
		name     string
		setAside string
		refused  []scheduler.Refusal
		warned   []scheduler.Warning
		want     []string // of one dialog after the other
	}{
		{"nothing", "", nil, nil, []string{""}},
		{"a refused file", "", refused, nil, []string{"flow.json", ""}},
		{"a file that carries two jobs", "", nil, warned, []string{"two.png", ""}},
		{"damaged records", "/data/queue.db.damaged", nil, nil, []string{"/data/queue.db.damaged", ""}},
		{"both", "/data/queue.db.damaged", refused, nil, []string{"/data/queue.db.damaged", "flow.json", ""}},
	} {
		w := open(t, &fakeFarm{snap: scenetest.Story()})
		w.o.SetAside, w.o.Added = c.setAside, scheduler.Added{Refused: c.refused, Warned: c.warned}
		w.greet()
		for _, want := range c.want {
			said := overlay(w)
			if !strings.Contains(said, want) || (want == "") != (said == "") {
				t.Errorf("%s: it says %q, want %q", c.name, said, want)
			}
			if want != "" {
				dismissed(t, w, "OK")
			}
		}
	}
}

// dismissed presses a button below the dialog on top.
func dismissed(t *testing.T, w *window, label string) {
	t.Helper()
	for _, o := range test.LaidOutObjects(container.NewStack(w.win.Canvas().Overlays().Top())) {
		if b, ok := o.(*widgets.Button); ok && b.Text() == label {
			test.Tap(b)
			return
		}
	}
	t.Fatalf("no button %q below the dialog:\n%s", label, overlay(w))
}

func TestASlipIsWarnedOfWhenItIsAdded(t *testing.T) {
	cost := job.Say{Code: job.WarnCost, Args: job.Args{Value: "640 x 640", Of: 1280, Count: 524, Seconds: 20}}
	f := &fakeFarm{snap: scenetest.Story(), added: scheduler.Added{
		Jobs: []*job.Job{{Name: "walk"}},
		Warned: []scheduler.Warning{
			{File: "/jobs/walk\x1b[2J.json", Say: cost}, {File: "/jobs/walk.json", Say: job.Say{Code: job.WarnUnneeded, Args: job.Args{Count: 3}}},
		},
	}}
	w := open(t, f)
	w.add([]string{"/jobs/walk.json"})
	said := overlay(w)
	if !strings.Contains(said, "640 x 640") || !strings.Contains(said, "queued all the same") || strings.Contains(said, "\x1b") {
		t.Errorf("it says %q", said)
	}
	if strings.Contains(said, text.English.Say(f.added.Warned[1].Say)) {
		t.Error("how a file was read is no warning")
	}
}

func TestTheAddressOfTheFirstMachineCanBeTypedAtOnce(t *testing.T) {
	// Given a window that has no machine yet
	f := &fakeFarm{snap: &scheduler.Snapshot{}}
	w := open(t, f)
	for name, show := range map[string]func(){"the button": w.enterMachine, "the page": w.showMachines} {
		w.shell.show(pageQueue)
		w.win.Canvas().Unfocus()
		// when its page is shown, by the button on the queue or by its own key
		show()
		// then the keyboard is in the field for the address
		if e, ok := w.win.Canvas().Focused().(*widget.Entry); !ok || e.PlaceHolder != "http://gpu-1:8188" {
			t.Errorf("%s: the keyboard is at %T", name, w.win.Canvas().Focused())
		}
	}
	// With machines there the page's own key leaves the keyboard where it is.
	f.snap = scenetest.Story()
	w.win.Canvas().Unfocus()
	w.showMachines()
	if at := w.win.Canvas().Focused(); at != nil {
		t.Errorf("the keyboard went to %T", at)
	}
}

func TestWhatIsSaidIsDismissedByKeyboard(t *testing.T) {
	w := open(t, &fakeFarm{snap: scenetest.Story()})
	press := func(key fyne.KeyName) {
		t.Helper()
		at := w.win.Canvas().Focused()
		if at == nil {
			t.Fatal("nothing has the keyboard")
		}
		at.TypedKey(&fyne.KeyEvent{Name: key})
	}
	shown := func() bool { return w.win.Canvas().Overlays().Top() != nil }
	// Given something that is said, when Escape or Return is pressed, then it is gone
	for _, key := range []fyne.KeyName{fyne.KeyEscape, fyne.KeyReturn} {
		gone := false
		w.tell("Not added", "It is no job.", func() { gone = true })
		press(key)
		if shown() || !gone {
			t.Errorf("%s: still shown", key)
		}
	}
	// A question is answered with no by either, and with yes only on purpose.
	yes := 0
	for _, key := range []fyne.KeyName{fyne.KeyEscape, fyne.KeyReturn} {
		w.confirm("Stop it?", "All of it is lost.", "Stop it", "Let it run", func() { yes++ })
		press(key)
	}
	if yes > 0 || shown() {
		t.Errorf("yes was said %d times", yes)
	}
	w.confirm("Stop it?", "All of it is lost.", "Stop it", "Let it run", func() { yes++ })
	w.win.Canvas().FocusPrevious()
	press(fyne.KeyReturn)
	if yes != 1 || shown() {
		t.Errorf("yes was said %d times", yes)
	}
}

func TestAPagesKeyLeadsIntoItsList(t *testing.T) {
	w := open(t, &fakeFarm{snap: scenetest.Story()})
	at := map[string]fyne.Focusable{}
	for _, m := range w.menu().Items {
		for _, i := range m.Items {
			if i.Label == "Queue" || i.Label == "History" {
				w.win.Canvas().Unfocus()
				i.Action()
				at[i.Label] = w.win.Canvas().Focused()
			}
		}
	}
	if at["Queue"] == nil || at["History"] == nil || at["Queue"] == at["History"] {
		t.Errorf("the keyboard is at %v", at)
	}
}

func TestWhatIsChosenOnANotificationIsCarriedOut(t *testing.T) {
	s := scenetest.Story()
	f := &fakeFarm{snap: s}
	w := open(t, f)
	w.shell.show(pageHistory)
	// A click on one shows the window at its job.
	id := s.Waiting[0].Job.ID
	w.chosen(notify.Chosen{Job: id})
	if at := w.queue.Selected(); w.shell.shown != pageQueue || at == nil || at.Job.ID != id {
		t.Errorf("page %d, selected %+v", w.shell.shown, at)
	}
	// An answer is given, and nothing is shown for it.
	w.shell.show(pageHistory)
	w.chosen(notify.Chosen{Choice: notify.Choice{Question: "q", Answer: job.KeepWaiting}})
	if want := []scheduler.Command{scheduler.Reply{Question: "q", Answer: job.KeepWaiting}}; !slices.Equal(f.sent, want) ||
		w.shell.shown != pageHistory {
		t.Errorf("sent %v", f.sent)
	}
}

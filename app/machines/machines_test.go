package machines

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"reckoner/app/goldentest"
	"reckoner/app/scenetest"
	"reckoner/app/theme"
	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

const w = text.English

func texts(lines []widgets.NoticeLine) string {
	var all []string
	for _, l := range lines {
		all = append(all, l.Text)
	}
	return strings.Join(all, "\n")
}

func answer(version string, targeted bool) job.ServerInfo {
	return job.ServerInfo{Version: version, TargetedInterrupt: targeted, Devices: []job.Device{{
		Name: "cuda:0 NVIDIA GeForce RTX 4090 : cudaMallocAsync", VRAMTotal: job.Known(int64(24 << 30)), VRAMFree: job.Known(int64(23 << 30)),
	}}}
}

func TestWhatIsFoundAtAnAddressIsExplained(t *testing.T) {
	known := scenetest.Story().Machines
	fails := func(code string) *job.Error { return job.Errorf(code, job.Args{Server: "http://x:8188"}, nil) }
	for _, c := range []struct {
		name  string
		found Found
		want  []string
		not   string
	}{
		{
			"a new server",
			Found{URL: "http://x:8188", Info: answer("0.3.64", true)},
			[]string{"ComfyUI 0.3.64 answers at http://x:8188.", "NVIDIA GeForce RTX 4090, 24 GiB, 23 GiB free"},
			"0.3.57",
		},
		{
			"an old one",
			Found{URL: "http://x:8188", Info: answer("0.3.40", false)},
			[]string{"ComfyUI 0.3.40", "before 0.3.57", "Updating ComfyUI"},
			"",
		},
		{"one without a GPU", Found{URL: "http://x:8188"}, []string{"does not say its version", "It names no GPU."}, ""},
		{"no address", Found{Address: "a b"}, []string{"This is no address", "http://gpu-1:8188"}, "all the same"},
		{"one that is there", Found{URL: "http://attic:8188"}, []string{"attic has this address already."}, "answers"},
		{"nothing there", Found{URL: "http://x:8188", Err: fails(job.ErrUnreachable)}, []string{"No connection", "added all the same"}, ""},
		{"one behind ssh", Found{URL: "ssh:me@gpu-9", Behind: true}, []string{"once it is added"}, "answers"},
		{"a login", Found{URL: "http://x:8188", Err: fails(job.ErrLogin)}, []string{"asks for a login"}, ""},
		{"an origin check", Found{URL: "http://x:8188", Err: fails(job.ErrOrigin)}, []string{"--enable-cors-header"}, ""},
		{"a certificate", Found{URL: "https://x", Err: fails(job.ErrTLS)}, []string{"certificate"}, ""},
		{"another program", Found{URL: "http://x", Err: fails(job.ErrNotComfy)}, []string{"not as ComfyUI does"}, ""},
	} {
		got := texts(Explain(c.found, known, w))
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: it does not say %q:\n%s", c.name, want, got)
			}
		}
		if c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s: it says %q:\n%s", c.name, c.not, got)
		}
	}
}

func TestWhatASourceGivesIsSaid(t *testing.T) {
	full := scenetest.Story().Machines[0].GPUs[0].Last
	for _, c := range []struct {
		tested Tested
		want   string
	}{
		{Tested{Readings: []job.Reading{full}}, "NVIDIA GeForce RTX 5060 Ti, 100 %, 43 W of 180 W, 15.2 GiB of 15.9 GiB."},
		{
			Tested{Readings: []job.Reading{{MemUsed: job.Known(int64(1 << 30)), MemTotal: job.Known(int64(2 << 30))}}},
			"A GPU that does not say its name, 1 GiB of 2 GiB; what it does not tell is shown as not known.",
		},
	} {
		if got := texts(ExplainSource(c.tested, w)); got != c.want {
			t.Errorf("said %q, want %q", got, c.want)
		}
	}
	e := job.Errorf(job.ErrNoTool, job.Args{Value: "nvidia-smi"}, nil)
	what, _ := w.Error(e)
	if got := texts(ExplainSource(Tested{Err: e}, w)); !strings.Contains(got, what) {
		t.Errorf("a failing source says %q, want %q", got, what)
	}
}

// newTestPage shows the story's machines in a window.
func newTestPage(t *testing.T, th fyne.Theme) (*Page, fyne.Window) {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(th)
	p := New(w)
	win := test.NewTempWindow(t, p)
	win.SetPadded(false)
	win.Resize(fyne.NewSize(1000, 760))
	p.Apply(scenetest.Story())
	return p, win
}

func TestOnlyTheAnswerToWhatIsTypedNowIsShown(t *testing.T) {
	p, _ := newTestPage(t, theme.New(theme.Dark, 1))
	answers := map[string]func(Found){}
	p.OnProbe = func(address string, _ []string, done func(Found)) { answers[address] = done }
	p.form.address.SetText("gpu")
	p.form.address.SetText("gpu-7")
	answers["gpu"](Found{Address: "gpu", URL: "http://gpu:8188", Err: job.Errorf(job.ErrUnreachable, job.Args{}, nil)})
	if got := p.form.found.HeightFor(400); got > 30 {
		t.Error("an answer to an older address is shown")
	}
	answers["gpu-7"](Found{Address: "gpu-7", URL: "http://gpu-7:8188", Info: answer("0.3.40", false)})
	if got := p.form.found.HeightFor(400); got < 50 {
		t.Error("the answer to what is typed is not shown")
	}
}

func TestAMachineIsChangedInTheForm(t *testing.T) {
	p, _ := newTestPage(t, theme.New(theme.Dark, 1))
	var wish Wish
	problem := "in use"
	p.OnAdd = func(w Wish, done func(string)) { wish = w; done(problem) }
	p.act(scenetest.Story().Machines[0], doEdit)
	p.form.name.SetText("cellar")
	p.form.submit()
	want := Wish{Name: "cellar", Address: "http://gpu-1:8188", Source: "ssh:gpu-1", Machine: scenetest.GPU1, Change: true}
	if !reflect.DeepEqual(wish, want) || p.form.problem.Text() != "in use" || p.form.editing == "" {
		t.Errorf("wished %+v, want %+v; then the form says %q", wish, want, p.form.problem.Text())
	}
	problem = ""
	p.form.submit()
	if p.form.editing != "" || p.form.address.Text != "" {
		t.Error("the form is not empty after the change")
	}
}

func TestAServerMayBelongToAMachineThatIsThere(t *testing.T) {
	p, _ := newTestPage(t, theme.New(theme.Dark, 1))
	var wish Wish
	p.OnAdd = func(w Wish, done func(string)) { wish = w; done("") }
	p.form.address.SetText("http://gpu-1:8190")
	p.form.belongs.SetSelected("gpu-1")
	if p.form.newMachine[0].Visible() {
		t.Error("the name of a machine that is there is asked for")
	}
	p.form.watch.SetChecked(true)
	p.form.submit()
	if want := (Wish{Address: "http://gpu-1:8190", Machine: scenetest.GPU1, WatchOnly: true}); !reflect.DeepEqual(wish, want) {
		t.Errorf("wished %+v, want %+v", wish, want)
	}
}

func TestAMachineWithAJobOfYoursIsNotOfferedToBeRemoved(t *testing.T) {
	m := scenetest.Story().Machines[0]
	has := func(m scheduler.MachineView) bool {
		for _, a := range Row(m, nil, Looked{}, w).Actions {
			if a.Key == doRemove {
				return true
			}
		}
		return false
	}
	if has(m) {
		t.Error("it is offered while a job runs there")
	}
	m.Mine = scheduler.MineNone
	if !has(m) {
		t.Error("it is not offered although no job runs there")
	}
}

func TestThePage(t *testing.T) {
	for name, th := range map[string]fyne.Theme{"page_dark": theme.New(theme.Dark, 1), "page_light_200": theme.New(theme.Light, 2)} {
		t.Run(name, func(t *testing.T) {
			p, win := newTestPage(t, th)
			p.OnProbe = func(address string, _ []string, done func(Found)) {
				done(Found{Address: address, URL: "http://x:8188", Info: answer("0.3.40", false)})
			}
			p.OnTest = func(source string, done func(Tested)) {
				done(Tested{Source: source, Err: job.Errorf(job.ErrNoTool, job.Args{Value: "nvidia-smi"}, nil)})
			}
			p.OnCheck = func(_ job.ID, done func(Checked)) {
				done(Checked{At: scenetest.Now(), Found: job.Checkup{Ran: true, Took: 400 * time.Millisecond}})
			}
			s := scenetest.Story()
			s.Machines[0].Servers[0].Seen, s.Machines[0].Servers[0].LiveSince = scenetest.Now(), job.Known(scenetest.Now())
			s.Machines[1].Servers[0].Err = job.Errorf(job.ErrTLS, job.Args{Server: "attic", Fingerprint: "AB:CD:EF:01:23:45"}, nil)
			p.Apply(s)
			p.check(s.Machines[0].Servers[0].Server.ID)
			p.Offer([]string{"http://127.0.0.1:8188"})
			p.form.address.SetText("x")
			p.form.source.SetText("nvidia-smi")
			p.form.try()
			goldentest.Compare(t, name, win.Canvas().Capture())
		})
	}
}

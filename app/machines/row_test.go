package machines

import (
	"strings"
	"testing"
	"time"

	"reckoner/app/scenetest"
	"reckoner/app/theme"
	"reckoner/app/widgets"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

func actions(n widgets.NoticeState) string {
	var all []string
	for _, l := range n.Lines {
		if l.Action.Label != "" {
			all = append(all, l.Action.Key+"="+l.Action.Label)
		}
	}
	return strings.Join(all, "\n")
}

func TestARowSaysHowAServersNewsCome(t *testing.T) {
	seen := scenetest.Now()
	ssh := job.Errorf(job.ErrHostKey, job.Args{Server: "ssh:me@gpu-9", Fingerprint: "ED25519 SHA256:abc"}, nil)
	for _, c := range []struct {
		name          string
		view          scheduler.ServerView
		says, offers  string
		never, refuse string
	}{
		{"live", scheduler.ServerView{Seen: seen, LiveSince: job.Known(seen)}, "Live news since 21:14.", "check:s=Check", "No live", ""},
		{"deaf in a run", scheduler.ServerView{Seen: seen, AskEvery: 2 * time.Second}, "No live news: it is asked every 2 s.", "", "Live news since", ""},
		{"deaf", scheduler.ServerView{Seen: seen}, "No live news: it is asked instead.", "", "every", ""},
		{"new", scheduler.ServerView{}, "It has not answered yet.", "", "live news", ""},
		{"local", scheduler.ServerView{Seen: seen, Process: job.Known(job.LocalProcess{PID: 7, Name: "python3\x1b[2J"})}, "(process 7 of this computer) listens there.", "", "\x1b", ""},
		{
			"away",
			scheduler.ServerView{Err: job.Errorf(job.ErrUnreachable, job.Args{Server: "http://x", Detail: "connection refused"}, nil)},
			"nothing listens there", "", "Nothing was sent", "Trust",
		},
		{
			"a certificate",
			scheduler.ServerView{Err: job.Errorf(job.ErrTLS, job.Args{Server: "https://x", Fingerprint: "AB:CD"}, nil)},
			"Its fingerprint is AB:CD.", "trust:s=Trust this certificate…", "", "",
		},
		{"an unknown computer", scheduler.ServerView{Err: ssh}, "not known to ssh yet", "know:http://x=Trust this computer…", "", ""},
		{
			"a changed computer",
			scheduler.ServerView{Err: job.Errorf(job.ErrHostKeyChanged, ssh.Args, nil)},
			"another key than ssh knows", "", "", "Trust",
		},
	} {
		c.view.Server = job.Server{ID: "s", URL: "http://x"}
		n := Row(scheduler.MachineView{Servers: []scheduler.ServerView{c.view}}, nil, Looked{}, w)
		said, offered := texts(n.Lines), actions(n)
		if !strings.Contains(said, c.says) || !strings.Contains(offered, c.offers) {
			t.Errorf("%s: it says\n%s\nand offers\n%s", c.name, said, offered)
		}
		if c.never != "" && strings.Contains(said, c.never) || c.refuse != "" && strings.Contains(offered, c.refuse) {
			t.Errorf("%s: it says or offers too much:\n%s\n%s", c.name, said, offered)
		}
	}
}

func TestAWatchedServerIsNotOfferedToBeChecked(t *testing.T) {
	v := scheduler.ServerView{Server: job.Server{ID: "s", URL: "http://x", WatchOnly: true}}
	if got := actions(Row(scheduler.MachineView{Servers: []scheduler.ServerView{v}}, nil, Looked{}, w)); got != "" {
		t.Errorf("offered: %s", got)
	}
}

func TestWhatACheckFoundIsSaid(t *testing.T) {
	at := scenetest.Now()
	for _, c := range []struct {
		name    string
		checked Checked
		want    string
	}{
		{"never", Checked{}, ""},
		{"under way", Checked{Running: true}, "Checking: a tiny job that needs no model is sent …"},
		{"works", Checked{At: at, Found: job.Checkup{Ran: true, Took: 400 * time.Millisecond}}, "A tiny job that needs no model went through in 0.4 s. (21:14)"},
		{"at work", Checked{At: at, Found: job.Checkup{Ahead: 2}}, "It answers. Nothing was sent, because 2 jobs run or wait there. (21:14)"},
		{
			"deaf",
			Checked{At: at, Found: job.Checkup{Ahead: 1, SocketErr: job.Errorf(job.ErrOrigin, job.Args{Server: "http://x"}, nil)}},
			"There will be no live news, so it is asked instead",
		},
		{"dead worker", Checked{At: at, Found: job.Checkup{Err: job.Errorf(job.ErrNotWorking, job.Args{Server: "http://x", Seconds: 20}, nil)}}, "did not run a tiny one"},
	} {
		if got := texts(ExplainCheck(c.checked, w)); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: it says %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAServerIsCheckedOnceAtATime(t *testing.T) {
	p, _ := newTestPage(t, theme.New(theme.Dark, 1))
	m := scenetest.Story().Machines[0]
	id := m.Servers[0].Server.ID
	var answers []func(Checked)
	p.OnCheck = func(_ job.ID, done func(Checked)) { answers = append(answers, done) }
	p.act(m, doCheck+string(id))
	p.act(m, doCheck+string(id))
	if len(answers) != 1 || actions(Row(m, p.checks, Looked{}, w)) != "" {
		t.Fatalf("%d checks are under way; offered: %s", len(answers), actions(Row(m, p.checks, Looked{}, w)))
	}
	answers[0](Checked{At: scenetest.Now(), Found: job.Checkup{Ran: true}})
	if !strings.Contains(texts(Row(m, p.checks, Looked{}, w).Lines), "went through") {
		t.Error("what was found is not shown")
	}
	p.act(m, doCheck+string(id))
	if len(answers) != 2 {
		t.Error("it cannot be checked again")
	}
}

func TestWhatIsShownIsWhatIsTrusted(t *testing.T) {
	p, _ := newTestPage(t, theme.New(theme.Dark, 1))
	m := scenetest.Story().Machines[0]
	m.Servers[0].Err = job.Errorf(job.ErrTLS, job.Args{Fingerprint: "AB:CD"}, nil)
	m.SourceErr = []scheduler.SourceError{{Source: "ssh:gpu-1", Err: job.Errorf(job.ErrHostKey, job.Args{Fingerprint: "SHA256:x"}, nil)}}
	var got []string
	p.OnTrust = func(s job.Server, shown string) { got = append(got, string(s.ID)+" "+shown) }
	p.OnKnown = func(address, shown string) { got = append(got, address+" "+shown) }
	p.act(m, doTrust+string(m.Servers[0].Server.ID))
	p.act(m, doKnow+"ssh:gpu-1")
	p.act(m, doKnow+"ssh:never-shown")
	want := string(m.Servers[0].Server.ID) + " AB:CD, ssh:gpu-1 SHA256:x"
	if strings.Join(got, ", ") != want {
		t.Errorf("handed on %v, want %s", got, want)
	}
}

func TestASelfSignedCertificateIsAcceptedInTheForm(t *testing.T) {
	p, _ := newTestPage(t, theme.New(theme.Dark, 1))
	var pins [][]string
	p.OnProbe = func(address string, with []string, done func(Found)) {
		pins = append(pins, with)
		f := Found{Address: address, URL: address, Info: answer("0.3.64", true)}
		if len(with) == 0 {
			f.Info, f.Err = job.ServerInfo{}, job.Errorf(job.ErrTLS, job.Args{Server: address, Fingerprint: "AB:CD"}, nil)
		}
		done(f)
	}
	var wish Wish
	p.OnAdd = func(w Wish, done func(string)) { wish = w; done("") }
	p.form.address.SetText("https://gpu-7")
	p.form.accept("AB:CD")
	p.form.key.SetText("tok-en")
	p.form.submit()
	if len(pins) != 2 || len(wish.Pins) != 1 || wish.Pins[0] != "AB:CD" || wish.Key != "tok-en" {
		t.Errorf("looked with %v, wished %+v", pins, wish)
	}
	if p.form.key.Text != "" {
		t.Error("what opens the server stays in the form")
	}
	p.form.address.SetText("https://gpu-8")
	if len(pins[2]) != 0 {
		t.Error("a certificate is taken for another address too")
	}
}

package comfy

import (
	"net/http"
	"time"

	"reckoner/scheduler/job"
	"reckoner/scheduler/sim"
)

func (l *lab) probed() job.ServerInfo {
	l.t.Helper()
	info, err := l.client.Probe(l.t.Context())
	if err != nil {
		l.t.Fatalf("probe: %v", err)
	}
	return info
}

func probing() []behaviour {
	return []behaviour{
		{name: "probe names the version", real: true, loopback: true, run: func(l *lab) {
			if v := l.probed().Version; v != l.p.version {
				l.t.Errorf("version %q, want %q", v, l.p.version)
			}
		}},
		{name: "probe tells whose ids count", real: true, run: func(l *lab) {
			if own := l.probed().OwnIDs; own != l.p.ownIDs {
				l.t.Errorf("own ids %v", own)
			}
		}},
		{name: "probe tells whether an interrupt can name a prompt", real: true, run: func(l *lab) {
			if can := l.probed().TargetedInterrupt; can != l.p.targeted {
				l.t.Errorf("targeted interrupt %v", can)
			}
		}},
		{name: "probe finds the routes", real: true, run: func(l *lab) {
			l.probed()
			want := map[bool]string{false: "/api", true: ""}[l.p.bare]
			if got := *l.client.prefix; got != want {
				l.t.Errorf("prefix %q, want %q", got, want)
			}
		}},
		{name: "probe reads the devices", run: func(l *lab) {
			d := l.probed().Devices
			if len(d) != 1 || d[0].VRAMTotal.Or(0) != 16000<<20 || d[0].Index.Or(-1) != 0 {
				l.t.Errorf("devices %+v", d)
			}
		}},
		{name: "probe measures the server's clock", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.ClockSkewS = 90 })
			if off := l.probed().ClockOffset; off < 88*time.Second || off > 92*time.Second {
				l.t.Errorf("offset %v, want 90 s", off)
			}
		}},
		{name: "probe touches no prompt", real: true, run: func(l *lab) {
			id, _ := l.started(4, 4)
			l.probed()
			if q := l.queue(); len(q.Running) != 1 || q.Running[0].ID != id {
				l.t.Errorf("queue %+v", q)
			}
			l.wantOutcome(l.ended(id), job.RunSucceeded)
		}},
		{name: "stats need one request after a probe", real: true, run: func(l *lab) {
			first := l.probed()
			again, err := l.client.Stats(l.t.Context())
			if err != nil || again.Version != first.Version || again.OwnIDs != first.OwnIDs {
				l.t.Errorf("%+v, %v", again, err)
			}
		}},
		{name: "a page's headers are not sent on", cloud: true, run: func(l *lab) {
			o := l.options()
			o.Header.Set("Origin", "http://evil.example")
			o.Header.Set("Sec-Fetch-Site", "cross-site")
			_, err := newTest(l.t, o).Probe(l.t.Context())
			if l.p.cloud {
				l.wantCode(err, job.ErrUnsupported)
				return
			}
			if err != nil {
				l.t.Errorf("refused: %v", err)
			}
		}},
		{name: "Comfy Cloud is recognised and refused", cloud: true, run: func(l *lab) {
			_, err := l.client.Probe(l.t.Context())
			if l.p.cloud {
				l.wantCode(err, job.ErrUnsupported)
			} else if err != nil {
				l.t.Error(err)
			}
		}},
		{name: "a login that is missing is called one", cloud: true, run: func(l *lab) {
			_, err := newTest(l.t, Options{URL: l.url, Dial: l.dial}).Probe(l.t.Context())
			if l.p.login || l.p.cloud {
				l.wantCode(err, job.ErrLogin)
			} else if err != nil {
				l.t.Error(err)
			}
		}},
		{name: "a proxy's page is no server", cloud: true, run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.HTML = true })
			_, err := l.client.Probe(l.t.Context())
			l.wantCode(err, job.ErrServerFault)
			l.faults(func(f *sim.Faults) { f.HTMLStatus = http.StatusOK })
			_, err = l.client.Probe(l.t.Context())
			l.wantCode(err, job.ErrNotComfy)
		}},
		{name: "a server that is down is unreachable", run: func(l *lab) {
			l.server.Restart(90 * time.Second)
			_, err := l.client.Probe(l.t.Context())
			l.wantCode(err, job.ErrUnreachable)
			l.sleep(91)
			l.probed()
		}},
		{name: "a server that answers late is waited for", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.StallS = 15 })
			l.probed()
		}},
		{name: "a server that does not answer in a minute is busy", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.StallS = 70 })
			_, err := l.client.Queue(l.t.Context())
			l.wantCode(err, job.ErrBusy)
		}},
		{name: "a server that became an older one is believed", run: func(l *lab) {
			l.probed()
			l.client.forget()
			id, _ := l.submit(1, 1)
			l.wantOutcome(l.ended(id), job.RunSucceeded)
		}},
	}
}

package comfy

import (
	"bytes"
	"net/http"
	"strings"

	"reckoner/scheduler/job"
	"reckoner/scheduler/sim"
)

func queueing() []behaviour {
	return []behaviour{
		{name: "pending prompts are in the order in which they run", real: true, loopback: true, run: func(l *lab) {
			first, _ := l.started(4, 4)
			var want []string
			for range 6 {
				id, _ := l.submit(1, 1)
				want = append(want, id)
			}
			front := l.foreign(`,"client_id":"other","front":true`, 1)
			want = append([]string{front}, want...)
			q := l.queue()
			var got []string
			for _, p := range q.Pending {
				got = append(got, p.ID)
			}
			if strings.Join(got, " ") != strings.Join(want, " ") || q.Running[0].ID != first {
				l.t.Errorf("pending %v, want %v", got, want)
			}
			for _, id := range want {
				if err := l.client.Remove(l.t.Context(), id); err != nil {
					l.t.Error(err)
				}
			}
			l.ended(first)
		}},
		{name: "a prompt of others is listed with its client", real: true, run: func(l *lab) {
			id := l.foreign(`,"client_id":"other"`, 2)
			l.soon("it runs", func() bool { return len(l.queue().Running) == 1 })
			if p := l.queue().Running[0]; p.ID != id || p.Client != "other" || p.Tag != (job.Tag{}) {
				l.t.Errorf("%+v", p)
			}
			l.ended(id)
		}},
		{name: "a prompt without a client is listed", real: true, run: func(l *lab) {
			id := l.foreign("", 2)
			l.soon("it runs", func() bool { return len(l.queue().Running) == 1 })
			if p := l.queue().Running[0]; p.ID != id || p.Client != "" {
				l.t.Errorf("%+v", p)
			}
			l.ended(id)
		}},
		{name: "longer tuples are read", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.LongTuples = true })
			id, s := l.started(2, 2)
			if p := l.queue().Running[0]; p.Tag != s.Tag {
				l.t.Errorf("%+v", p)
			}
			if r := l.ended(id); r.Tag != s.Tag {
				l.t.Errorf("%+v", r)
			}
		}},
		{name: "the cloud's tuples are recognised", cloud: true, run: func(l *lab) {
			l.submit(5, 5)
			_, err := l.client.Queue(l.t.Context())
			if l.p.cloud {
				l.wantCode(err, job.ErrUnsupported)
			} else if err != nil {
				l.t.Error(err)
			}
		}},
		{name: "NaN in others' prompts spoils no queue", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.NaN = true })
			l.foreign("", 5)
			id, _ := l.submit(1, 1)
			if !l.waits(id) {
				l.t.Error("ours is not listed")
			}
		}},
		{name: "a run moves from queue to record without a gap", run: func(l *lab) {
			id, _ := l.submit(2, 2)
			for range 100 {
				q := l.queue() // first the queue, then the record
				_, has := l.record(id)
				if len(q.Running)+len(q.Pending) == 0 && !has {
					l.t.Fatal("it is in neither")
				}
				l.sleep(0.05)
			}
		}},
		{name: "a page in the place of the queue is an error, never an empty queue", cloud: true, run: func(l *lab) {
			l.probedOrCloud()
			for status, code := range map[int]string{
				http.StatusOK: job.ErrNotComfy, http.StatusBadGateway: job.ErrServerFault, 524: job.ErrServerFault,
				http.StatusNotFound: job.ErrNotComfy, http.StatusUnauthorized: job.ErrLogin,
			} {
				l.faults(func(f *sim.Faults) { f.HTML, f.HTMLStatus = true, status })
				_, err := l.client.Queue(l.t.Context())
				l.wantCode(err, code)
				_, _, err = l.client.Record(l.t.Context(), "x")
				l.wantCode(err, code)
			}
		}},
		{name: "what somebody cleared is in neither place", run: func(l *lab) {
			l.started(30, 30)
			id, _ := l.submit(1, 1)
			l.server.ClearQueue()
			if l.waits(id) {
				l.t.Error("it waits")
			}
			if _, has := l.record(id); has {
				l.t.Error("it has a record")
			}
		}},
		{name: "a record that somebody cleared is absent, not a failure", real: true, run: func(l *lab) {
			id, _ := l.submit(1, 1)
			l.ended(id)
			if status, body := l.ask("POST", "/history", `{"delete":["`+id+`"]}`); status != http.StatusOK {
				l.t.Fatalf("%d %s", status, body)
			}
			if r, has := l.record(id); has {
				l.t.Errorf("%+v", r)
			}
		}},
		{name: "two servers behind one address disagree", run: func(l *lab) {
			id, _ := l.started(30, 30)
			l.faults(func(f *sim.Faults) { f.OtherPod = 2 })
			seen := 0
			for range 4 {
				if q := l.queue(); len(q.Running) == 1 && q.Running[0].ID == id {
					seen++
				}
			}
			if seen != 2 {
				l.t.Errorf("seen %d times of 4", seen)
			}
		}},
		{name: "a worker that is dead leaves everything pending", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.DeadWorker = true })
			id, _ := l.submit(1, 1)
			l.sleep(600)
			if !l.waits(id) {
				l.t.Error("it does not wait")
			}
		}},
		{name: "models are let go on request", real: true, run: func(l *lab) {
			if err := l.client.Free(l.t.Context()); err != nil {
				l.t.Error(err)
			}
			graph := l.graph(1, 1)
			for range 2 {
				_, r, err := l.send(graph)
				if err != nil {
					l.t.Fatal(err)
				}
				if rec := l.ended(r.PromptID); !l.p.noStatus && len(rec.Cached) == 3 {
					l.t.Errorf("cached %v after its memory was freed", rec.Cached)
				}
				if err := l.client.Free(l.t.Context()); err != nil {
					l.t.Error(err)
				}
				l.sleep(1)
			}
		}},
	}
}

// probedOrCloud lets the client find out the routes.
func (l *lab) probedOrCloud() {
	l.t.Helper()
	if _, err := l.client.Probe(l.t.Context()); err != nil && job.CodeOf(err) != job.ErrUnsupported {
		l.t.Fatal(err)
	}
}

func stopping() []behaviour {
	class := func(name string) []string { return []string{name} }
	return []behaviour{
		{name: "a running prompt is interrupted", real: true, loopback: true, run: func(l *lab) {
			id, _ := l.started(20, 20)
			l.interrupt(id)
			r := l.ended(id)
			l.wantOutcome(r, job.RunInterrupted)
			if outcome, _ := l.terminalNews(id); outcome != job.RunInterrupted || len(r.Outputs) > 0 {
				l.t.Errorf("heard %s, %+v", outcome, r)
			}
		}},
		{name: "an interrupt never stops another's prompt", real: true, run: func(l *lab) {
			other := l.foreign(`,"client_id":"other"`, 5)
			l.soon("it runs", func() bool { return len(l.queue().Running) == 1 })
			id, _ := l.submit(1, 1)
			err := l.client.Interrupt(l.t.Context(), id)
			if l.p.targeted && err != nil {
				l.t.Error(err)
			}
			if !l.p.targeted {
				l.wantCode(err, job.ErrUnsupported)
			}
			l.wantOutcome(l.ended(other), job.RunSucceeded)
			l.wantOutcome(l.ended(id), job.RunSucceeded)
		}},
		{name: "an interrupt of what has ended stops nothing", real: true, run: func(l *lab) {
			id, _ := l.submit(1, 1)
			l.ended(id)
			other := l.foreign(`,"client_id":"other"`, 3)
			l.soon("it runs", func() bool { return len(l.queue().Running) == 1 })
			if err := l.client.Interrupt(l.t.Context(), id); (err == nil) != l.p.targeted {
				l.t.Error(err)
			}
			l.wantOutcome(l.ended(other), job.RunSucceeded)
		}},
		{name: "a pending prompt is removed without a trace", real: true, run: func(l *lab) {
			running, _ := l.started(4, 4)
			id, _ := l.submit(1, 1)
			if err := l.client.Remove(l.t.Context(), id); err != nil {
				l.t.Error(err)
			}
			if l.waits(id) {
				l.t.Error("it waits")
			}
			if _, has := l.record(id); has {
				l.t.Error("it has a record")
			}
			l.wantOutcome(l.ended(running), job.RunSucceeded)
		}},
		{name: "removing does not touch what runs", real: true, run: func(l *lab) {
			id, _ := l.started(3, 3)
			if err := l.client.Remove(l.t.Context(), id); err != nil {
				l.t.Error(err)
			}
			l.wantOutcome(l.ended(id), job.RunSucceeded)
		}},
		{name: "removing takes only what it names", real: true, run: func(l *lab) {
			l.started(4, 4)
			other := l.foreign(`,"client_id":"other"`, 1)
			id, _ := l.submit(1, 1)
			if err := l.client.Remove(l.t.Context(), id); err != nil {
				l.t.Error(err)
			}
			l.wantOutcome(l.ended(other), job.RunSucceeded)
		}},
		{name: "nothing is sent without a name", real: true, cloud: true, run: func(l *lab) {
			l.wantCode(l.client.Interrupt(l.t.Context(), ""), job.ErrUnsupported)
			l.wantCode(l.client.Remove(l.t.Context(), ""), job.ErrUnsupported)
		}},
		{name: "a node that does not look is stopped after it", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.Uninterruptible = class("SlowSampler") })
			id, _ := l.started(90, 9)
			l.interrupt(id)
			l.sleep(60)
			if _, has := l.record(id); has {
				l.t.Error("it ended at once")
			}
			l.wantOutcome(l.ended(id), job.RunInterrupted)
		}},
		{name: "an interrupt that is swallowed ends in success", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.SwallowInterrupts = class("SlowSampler") })
			id, _ := l.started(20, 20)
			l.interrupt(id)
			l.wantOutcome(l.ended(id), job.RunSucceeded)
		}},
		{name: "an interrupt can come back as an error", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.ErrorOnInterrupt = class("SlowSampler") })
			id, _ := l.started(20, 20)
			l.interrupt(id)
			l.wantOutcome(l.ended(id), job.RunFailed)
		}},
		{name: "an interrupt before the start is lost, the next one is not", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.StartDelayS = 3 })
			id, _ := l.started(20, 20)
			l.interrupt(id)
			l.sleep(8)
			if _, has := l.record(id); has {
				l.t.Fatal("it was stopped before it started")
			}
			l.interrupt(id)
			l.wantOutcome(l.ended(id), job.RunInterrupted)
		}},
		{name: "an interrupt from outside is one", real: true, run: func(l *lab) {
			id, _ := l.started(20, 20)
			if status, _ := l.ask("POST", "/interrupt", ""); status != http.StatusOK {
				l.t.Fatal(status)
			}
			l.wantOutcome(l.ended(id), job.RunInterrupted)
		}},
		{name: "the queue goes on after an interrupt", real: true, run: func(l *lab) {
			id, _ := l.started(20, 20)
			next, _ := l.submit(1, 1)
			l.interrupt(id)
			l.wantOutcome(l.ended(next), job.RunSucceeded)
		}},
	}
}

func (l *lab) interrupt(id string) {
	l.t.Helper()
	if err := l.client.Interrupt(l.t.Context(), id); err != nil {
		l.t.Errorf("interrupt: %v", err)
	}
}

func viewing() []behaviour {
	return []behaviour{
		{name: "a file comes whole, and from an offset", real: true, loopback: true, run: func(l *lab) {
			id, _ := l.submit(1, 1)
			ref := l.ended(id).Outputs[0]
			whole, total, err := l.file(ref, 0)
			if err != nil || int64(len(whole)) != total || !strings.HasPrefix(string(whole), "\x89PNG") {
				l.t.Fatalf("%d of %d bytes, %v", len(whole), total, err)
			}
			rest, total, err := l.file(ref, 10)
			if err != nil || !bytes.Equal(rest, whole[10:]) || total != int64(len(whole)) {
				l.t.Errorf("%d of %d bytes from 10, %v", len(rest), total, err)
			}
		}},
		{name: "a file that is not there is called that", real: true, run: func(l *lab) {
			_, _, err := l.file(job.OutputRef{Filename: "no such file.png", Type: "output"}, 0)
			l.wantCode(err, job.ErrNoSuchFile)
		}},
		{name: "a name that leaves the folder is no file", real: true, run: func(l *lab) {
			_, _, err := l.file(job.OutputRef{Filename: "../../etc/passwd", Type: "output"}, 0)
			l.wantCode(err, job.ErrNoSuchFile)
			_, _, err = l.file(job.OutputRef{Filename: "x.png", Subfolder: "../..", Type: "output"}, 0)
			l.wantCode(err, job.ErrNoSuchFile)
		}},
		{name: "a file that is cut off is short, and is resumed", loopback: true, run: func(l *lab) {
			id, _ := l.submit(1, 1)
			ref := l.ended(id).Outputs[0]
			l.faults(func(f *sim.Faults) { f.ShortViews = 1 })
			part, total, err := l.file(ref, 0)
			l.wantCode(err, job.ErrShortFile)
			if int64(len(part)) >= total || len(part) == 0 {
				l.t.Fatalf("%d of %d bytes", len(part), total)
			}
			rest, _, err := l.file(ref, int64(len(part)))
			if err != nil || int64(len(part)+len(rest)) != total {
				l.t.Errorf("then %d bytes, %v", len(rest), err)
			}
		}},
		{name: "a preview that was cleaned up is no file", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.LoseTemp = true })
			_, r, err := l.send(strings.Replace(l.graph(1, 1), `"SaveImage"`, `"PreviewImage"`, 1))
			if err != nil {
				l.t.Fatal(err)
			}
			refs := l.ended(r.PromptID).Outputs
			if len(refs) != 1 || refs[0].Type != "temp" {
				l.t.Fatalf("%+v", refs)
			}
			_, _, err = l.file(refs[0], 0)
			l.wantCode(err, job.ErrNoSuchFile)
		}},
		{
			name: "a Windows server's folders are found", spec: func(s *sim.ServerSpec) { s.Windows = true },
			run: func(l *lab) {
				_, r, err := l.send(strings.Replace(l.graph(1, 1), "reckoner/conform", "a/b/c", 1))
				if err != nil {
					l.t.Fatal(err)
				}
				ref := l.ended(r.PromptID).Outputs[0]
				if ref.Subfolder != `a\b` {
					l.t.Errorf("%+v", ref)
				}
				if b, total, err := l.file(ref, 0); err != nil || int64(len(b)) != total {
					l.t.Errorf("%d of %d bytes, %v", len(b), total, err)
				}
			},
		},
		{name: "a file that only a redirect leads to is fetched without our key", cloud: true, run: func(l *lab) {
			id, _ := l.submit(1, 1)
			ref := l.ended(id).Outputs[0]
			// The simulation refuses the signed address to who brings the key along.
			b, total, err := l.file(ref, 0)
			if err != nil || int64(len(b)) != total || !strings.HasPrefix(string(b), "\x89PNG") {
				l.t.Errorf("%d of %d bytes, %v", len(b), total, err)
			}
		}},
	}
}

package comfy

import (
	"fmt"
	"strings"
	"time"

	"reckoner/scheduler/job"
	"reckoner/scheduler/sim"
)

func submitting() []behaviour {
	return []behaviour{
		{name: "the id is ours, or the server's is remembered", real: true, loopback: true, cloud: true, run: func(l *lab) {
			id, s := l.submit(1, 1)
			if (id == string(s.PromptID)) != l.p.ownIDs {
				l.t.Errorf("id %s, asked for %s", id, s.PromptID)
			}
			l.wantOutcome(l.ended(id), job.RunSucceeded)
		}},
		{name: "the tag is on the queue and in the record", real: true, run: func(l *lab) {
			id, s := l.started(2, 2)
			if p := l.queue().Running[0]; p.Tag != s.Tag || p.Client != "me" {
				l.t.Errorf("on the queue %+v", p)
			}
			if r := l.ended(id); r.Tag != s.Tag {
				l.t.Errorf("in the record %+v", r.Tag)
			}
		}},
		{name: "numbers count up", real: true, cloud: true, run: func(l *lab) {
			_, a, err := l.send(l.graph(1, 1))
			if err != nil {
				l.t.Fatal(err)
			}
			_, b, err := l.send(l.graph(1, 1))
			if err != nil || b.Number <= a.Number {
				l.t.Errorf("numbers %v, then %v, %v", a.Number, b.Number, err)
			}
			l.ended(b.PromptID)
		}},
		{name: "seeds keep all their digits", run: func(l *lab) {
			const seed = "18446744073709551615"
			graph := strings.Replace(l.graph(5, 5), fmt.Sprintf(`"seed":%d`, l.seed), `"seed":`+seed, 1)
			if _, _, err := l.send(graph); err != nil {
				l.t.Fatal(err)
			}
			if _, body := l.ask("GET", "/queue", ""); !strings.Contains(body, seed) {
				l.t.Errorf("queue %s", body)
			}
		}},
		{name: "a reply that is lost leaves the outcome open, and the prompt is on the queue", loopback: true, run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.LoseReplies = 1 })
			s, _, err := l.send(l.graph(5, 5))
			l.wantCode(err, job.ErrOutcomeUnknown)
			l.soon("it runs", func() bool { return len(l.queue().Running) == 1 })
			if p := l.queue().Running[0]; p.Tag != s.Tag || (p.ID == string(s.PromptID)) != l.p.ownIDs {
				l.t.Errorf("on the queue %+v", p)
			}
		}},
		{name: "a run whose reply was lost is found in the record by its tag", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.LoseReplies = 1 })
			s, _, err := l.send(l.graph(1, 1))
			l.wantCode(err, job.ErrOutcomeUnknown)
			l.sleep(5)
			r, ok, err := l.client.FindRecord(l.t.Context(), s.Tag.Run)
			if err != nil || !ok || r.Tag != s.Tag {
				l.t.Errorf("%+v, %v, %v", r, ok, err)
			}
		}},
		{name: "a gateway that gives up leaves the outcome open", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.GatewayTimeouts = 1 })
			s, _, err := l.send(l.graph(5, 5))
			l.wantCode(err, job.ErrOutcomeUnknown)
			l.soon("it runs", func() bool { return len(l.queue().Running) == 1 })
			if p := l.queue().Running; len(p) != 1 || p[0].Tag != s.Tag {
				l.t.Errorf("running %+v", p)
			}
		}},
		{name: "a fault of the server takes nothing", cloud: true, run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.FailSubmissions = 1 })
			_, _, err := l.send(l.graph(5, 5))
			l.wantCode(err, job.ErrServerFault)
			if q := l.queue(); len(q.Running)+len(q.Pending) > 0 {
				l.t.Errorf("queue %+v", q)
			}
		}},
		{name: "a connection that is refused takes nothing", run: func(l *lab) {
			l.probed()
			l.server.Restart(30 * time.Second)
			l.sleep(1) // else it goes into a connection that is just being closed
			_, _, err := l.send(l.graph(5, 5))
			l.wantCode(err, job.ErrUnreachable)
			l.sleep(31)
			if q := l.queue(); len(q.Running)+len(q.Pending) > 0 {
				l.t.Errorf("queue %+v", q)
			}
		}},
		{name: "a submission waits for a busy server", run: func(l *lab) {
			l.probed()
			l.faults(func(f *sim.Faults) { f.StallS = 55 })
			id, _ := l.submit(1, 1)
			l.faults(func(f *sim.Faults) { f.StallS = 0 })
			l.wantOutcome(l.ended(id), job.RunSucceeded)
		}},
		{name: "two minutes without an answer leave the outcome open", run: func(l *lab) {
			l.probed()
			l.faults(func(f *sim.Faults) { f.StallS = 130 })
			_, _, err := l.send(l.graph(5, 5))
			l.wantCode(err, job.ErrOutcomeUnknown) // also where a gateway said so after 100 s
		}},
		{name: "a big prompt is taken, or named too large", run: func(l *lab) {
			big := strings.Replace(l.graph(1, 1), `"1":`, `"0":{"class_type":"PrimitiveString","inputs":{"value":"`+
				strings.Repeat("a", 2<<20)+`"}},"1":`, 1)
			_, r, err := l.send(big)
			if l.p.bodyLimit {
				l.wantCode(err, job.ErrTooLarge)
				return
			}
			if err != nil {
				l.t.Fatal(err)
			}
			l.wantOutcome(l.ended(r.PromptID), job.RunSucceeded)
		}},
		{name: "a client sends once, whatever the answer", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.LoseReplies = 1 })
			_, _, err := l.send(l.graph(5, 5))
			l.wantCode(err, job.ErrOutcomeUnknown)
			l.sleep(1)
			if q := l.queue(); len(q.Running) != 1 || len(q.Pending) != 0 {
				l.t.Errorf("queue %+v", q)
			}
		}},
	}
}

func (l *lab) refused(graph, code string) *job.Error {
	l.t.Helper()
	_, _, err := l.send(graph)
	l.wantCode(err, code)
	e, ok := err.(*job.Error) //nolint:errorlint // the client promises the type itself
	if !ok {
		l.t.Fatalf("%T: %v", err, err)
	}
	q := l.queue()
	if len(q.Running)+len(q.Pending) > 0 {
		l.t.Errorf("it was refused and is on the queue: %+v", q)
	}
	return e
}

func refusing() []behaviour {
	const saver = `"9":{"class_type":"SaveImage","inputs":{"images":["8",0],"filename_prefix":"x"}}`
	return []behaviour{
		{name: "a missing class is named", real: true, cloud: true, run: func(l *lab) {
			e := l.refused(`{"8":{"class_type":"NoSuchNodeAnywhere","inputs":{}},`+saver+`}`, job.ErrMissingNode)
			if e.Args.Class != "NoSuchNodeAnywhere" || e.Args.Node != "8" {
				l.t.Errorf("%+v", e.Args)
			}
		}},
		{name: "a value out of range is named with what is allowed", real: true, cloud: true, run: func(l *lab) {
			e := l.refused(`{"8":{"class_type":"EmptyImage","inputs":{"width":0,"height":64,"batch_size":1,"color":0}},`+
				saver+`}`, job.ErrRefused)
			if f := e.Faults; len(f) != 1 || f[0].Node != "8" || f[0].Input != "width" || f[0].Value != "0" ||
				len(f[0].Allowed) == 0 || f[0].Allowed[0] != ">= 1" {
				l.t.Errorf("%+v", f)
			}
		}},
		{name: "a missing input is named", real: true, cloud: true, run: func(l *lab) {
			e := l.refused(`{"8":{"class_type":"EmptyImage","inputs":{"height":64,"batch_size":1,"color":0}},`+saver+`}`,
				job.ErrRefused)
			if f := e.Faults; len(f) != 1 || f[0].Type != "required_input_missing" || f[0].Input != "width" {
				l.t.Errorf("%+v", f)
			}
		}},
		{name: "a wrong kind of value is named", real: true, cloud: true, run: func(l *lab) {
			e := l.refused(`{"8":{"class_type":"EmptyImage","inputs":{"width":"wide","height":64,"batch_size":1,"color":0}},`+
				saver+`}`, job.ErrRefused)
			if f := e.Faults; len(f) != 1 || f[0].Type != "invalid_input_type" || f[0].Value != "wide" {
				l.t.Errorf("%+v", f)
			}
		}},
		{name: "a workflow without an output is refused", real: true, cloud: true, run: func(l *lab) {
			e := l.refused(`{"8":{"class_type":"EmptyImage","inputs":{"width":64,"height":64,"batch_size":1,"color":0}}}`,
				job.ErrRefused)
			if e.Faults[0].Type != "prompt_no_outputs" {
				l.t.Errorf("%+v", e.Faults)
			}
		}},
		{name: "an empty workflow is refused", real: true, cloud: true, run: func(l *lab) { _ = l.refused(`{}`, job.ErrRefused) }},
		{name: "a link to nothing is refused", real: true, cloud: true, run: func(l *lab) {
			_ = l.refused(`{"9":{"class_type":"SaveImage","inputs":{"images":["77",0],"filename_prefix":"x"}}}`, job.ErrRefused)
		}},
		{name: "a missing picture is named", real: true, cloud: true, run: func(l *lab) {
			e := l.refused(`{"8":{"class_type":"LoadImage","inputs":{"image":"no such picture.png"}},`+saver+`}`, job.ErrRefused)
			if f := e.Faults; len(f) != 1 || f[0].Type != "custom_validation_failed" || f[0].Value != "no such picture.png" {
				l.t.Errorf("%+v", f)
			}
		}},
		{
			name: "a missing model is named with those that are there", cloud: true,
			spec: func(s *sim.ServerSpec) { s.Models = map[string][]string{"vae": {"one.safetensors", "sub/two.pt"}} },
			run: func(l *lab) {
				e := l.refused(`{"7":{"class_type":"VAELoader","inputs":{"vae_name":"three.pt"}},
					"8":{"class_type":"VAEDecode","inputs":{"samples":["6",0],"vae":["7",0]}},
					"6":{"class_type":"EmptyLatentImage","inputs":{"width":64,"height":64,"batch_size":1}},`+saver+`}`, job.ErrRefused)
				if f := e.Faults; len(f) != 1 || f[0].Input != "vae_name" || f[0].Value != "three.pt" || len(f[0].Allowed) != 2 {
					l.t.Errorf("%+v", f)
				}
			},
		},
		{name: "a file of the page's format is refused", run: func(l *lab) {
			_, _, err := l.send(`{"last_node_id":9,"nodes":[]}`)
			l.wantCode(err, job.ErrServerFault)
		}},
		{name: "outputs that are left out are told, and the others run", real: true, cloud: true, run: func(l *lab) {
			graph := strings.TrimSuffix(l.graph(1, 1), "}") +
				`,"8":{"class_type":"EmptyImage","inputs":{"width":0,"height":64,"batch_size":1,"color":0}},` + saver + `}`
			_, r, err := l.send(graph)
			if err != nil || len(r.Faults) != 1 || r.Faults[0].Node != "8" || r.Faults[0].Input != "width" {
				l.t.Fatalf("%+v, %v", r, err)
			}
			if rec := l.ended(r.PromptID); len(rec.Outputs) != 1 {
				l.t.Errorf("%+v", rec)
			}
		}},
		{name: "what was refused is refused again, at once", real: true, cloud: true, run: func(l *lab) {
			for range 2 {
				_ = l.refused(`{"8":{"class_type":"NoSuchNodeAnywhere","inputs":{}},`+saver+`}`, job.ErrMissingNode)
			}
		}},
	}
}

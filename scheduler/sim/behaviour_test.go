package sim

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A,A is warm, A,B,A pays again: only the last prompt's results are kept.
func TestCacheKeepsTheLastPromptOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, oneServer(nil), Options{})
		defer r.stop()
		a, b := slow(2, 4, 1), strings.Replace(slow(2, 4, 1), `"width": 64`, `"width": 72`, 1)
		for i, c := range []struct{ prompt, cached string }{
			{a, `[]`}, {a, `["1", "2", "3"]`}, {b, `[]`}, {a, `[]`}, {slow(2, 4, 2), `["1"]`},
		} {
			id := r.submit("s", c.prompt, `, "client_id": "me"`)
			r.wait(5)
			_, record := r.ended("s", id)
			ms := record.object("status").vals["messages"].([]any)
			got := string(encode(ms[1].([]any)[1].(*object).vals["nodes"]))
			if got != c.cached {
				t.Errorf("prompt %d: cached %s, want %s", i, got, c.cached)
			}
		}
	})
}

func TestCachedRunGivesTheOldFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, oneServer(nil), Options{})
		defer r.stop()
		var outputs []string
		for range 2 {
			id := r.submit("s", slow(2, 4, 1), "")
			r.wait(5)
			_, record := r.ended("s", id)
			outputs = append(outputs, string(encode(record.vals["outputs"])))
		}
		if outputs[0] != outputs[1] || !strings.Contains(outputs[0], "t_00001_.png") {
			t.Errorf("outputs %v, want twice the first file", outputs)
		}
	})
}

// An interrupt takes effect at the end of a step, and not at all in a node that
// does not look.
func TestInterruptTakesEffectBetweenSteps(t *testing.T) {
	for _, c := range []struct {
		name   string
		faults Faults
		at     float64 // when it has ended, in seconds
		node   string
	}{
		{"after the step", Faults{}, 4, "2"},
		{"only after the node", Faults{RunFaults: RunFaults{Uninterruptible: []string{"SlowSampler"}}}, 20, "3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := start(t, oneServer(func(s *ServerSpec) { s.Faults = c.faults }), Options{})
				defer r.stop()
				id := r.submit("s", slow(10, 20, 1), "")
				r.wait(3)
				r.do("s", "POST", "/interrupt", `{"prompt_id": "another"}`)
				r.do("s", "POST", "/interrupt", fmt.Sprintf(`{"prompt_id": %q}`, id))
				r.wait(c.at - 3 - 0.1)
				if last, _ := r.ended("s", id); last != "" {
					t.Errorf("ended before %v s: %s", c.at, last)
				}
				r.wait(0.2)
				last, record := r.ended("s", id)
				if last != "execution_interrupted" {
					t.Fatalf("last message %q", last)
				}
				if text := string(encode(record)); !strings.Contains(text, `"node_id": "`+c.node+`"`) {
					t.Errorf("not interrupted at node %s: %s", c.node, text)
				}
			})
		})
	}
}

// The fault of the real server: after a reconnect with the same id, the late end
// of the first socket makes the second one deaf.
func TestReconnectWithTheSameIDCanGoDeaf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, oneServer(nil), Options{})
		defer r.stop()
		first := r.listen("me")
		second := r.listen("me")
		r.submit("s", slow(1, 1, 1), `, "client_id": "me"`)
		r.wait(2)
		if len(first.heard()) != 1 || !slices.Contains(second.kinds(), "execution_success") {
			t.Fatalf("first heard %v, second %v; want the second to have taken over", first.kinds(), second.kinds())
		}
		before := len(second.heard())
		first.close()
		synctest.Wait()
		r.submit("s", slow(1, 1, 2), `, "client_id": "me"`)
		r.wait(2)
		if got := len(second.heard()); got != before {
			t.Errorf("the second socket heard %d more messages, want none", got-before)
		}
	})
}

func TestFeatureFlagsAreAnsweredOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, oneServer(nil), Options{})
		defer r.stop()
		l := r.listen("me")
		for range 2 {
			if err := l.conn.WriteMessage(1, []byte(`{"type": "feature_flags", "data": {}}`)); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if got := l.kinds(); !slices.Equal(got, []string{"status", "feature_flags"}) {
			t.Errorf("heard %v", got)
		}
	})
}

func TestLostReplyIsATakenPrompt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, oneServer(func(s *ServerSpec) { s.Faults.LoseReplies = 1 }), Options{})
		defer r.stop()
		body := `{"prompt": ` + slow(1, 5, 1) + `, "prompt_id": "mine"}`
		if _, err := r.ask("s", "POST", "/prompt", body); err == nil {
			t.Fatal("the reply came")
		}
		if got := r.get("s", "/queue").body; !strings.Contains(got, `"mine"`) {
			t.Errorf("queue %s, want the prompt in it", got)
		}
		r.submit("s", slow(1, 5, 2), "") // the next reply comes
	})
}

func TestHistoryDelayKeepsThePromptRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, oneServer(func(s *ServerSpec) { s.Faults.HistoryDelayS = 3 }), Options{})
		defer r.stop()
		l := r.listen("me")
		id := r.submit("s", slow(1, 1, 1), `, "client_id": "me"`)
		r.wait(2)
		last, _ := r.ended("s", id)
		if !slices.Contains(l.kinds(), "execution_success") || last != "" {
			t.Fatalf("heard %v, record %q; want success told and no record yet", l.kinds(), last)
		}
		if got := r.get("s", "/queue").body; !strings.Contains(got, id) {
			t.Errorf("queue %s, want the prompt still in it", got)
		}
		r.wait(3)
		if last, _ := r.ended("s", id); last != "execution_success" {
			t.Errorf("record %q after the delay", last)
		}
	})
}

func TestRestartLosesEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, oneServer(nil), Options{})
		defer r.stop()
		l := r.listen("me")
		done := r.submit("s", slow(1, 1, 1), "")
		r.wait(2)
		file := "/view?filename=t_00001_.png"
		running := r.submit("s", slow(1, 60, 2), "")

		r.world.Server("s").Restart(10 * time.Second)
		synctest.Wait()
		select {
		case <-l.done:
		default:
			t.Error("the socket is still open")
		}
		if _, err := r.ask("s", "GET", "/queue", ""); err == nil {
			t.Error("it answers while down")
		}
		r.wait(11)
		if got := r.get("s", "/queue").body; strings.Contains(got, running) {
			t.Errorf("queue %s", got)
		}
		if last, _ := r.ended("s", done); last != "" {
			t.Errorf("the record is still there: %s", last)
		}
		if a := r.get("s", file); a.status != 200 {
			t.Errorf("the output is gone: %d", a.status)
		}
		a := r.do("s", "POST", "/prompt", `{"prompt": `+slow(1, 1, 1)+`}`)
		if !strings.Contains(a.body, `"number": 0`) {
			t.Errorf("reply %s, want the counter at 0", a.body)
		}
	})
}

func TestOtherFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, oneServer(nil), Options{})
		defer r.stop()
		s := r.world.Server("s")

		s.SetFaults(func(f *Faults) { f.HTML = true })
		a := r.get("s", "/queue")
		if a.status != 502 || !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
			t.Errorf("HTML: %d %s", a.status, a.header.Get("Content-Type"))
		}
		s.SetFaults(func(f *Faults) { *f = Faults{HTTPFaults: HTTPFaults{Refuse: true}} })
		if _, err := r.ask("s", "GET", "/queue", ""); err == nil {
			t.Error("refuse: it answered")
		}
		s.SetFaults(func(f *Faults) { *f = Faults{HTTPFaults: HTTPFaults{StallS: 7}} })
		before := time.Now()
		r.get("s", "/queue")
		if took := time.Since(before); took != 7*time.Second {
			t.Errorf("stall: answered after %v", took)
		}
		s.SetFaults(func(f *Faults) { *f = Faults{RunFaults: RunFaults{DeadWorker: true}} })
		r.submit("s", slow(1, 1, 1), "")
		r.wait(60)
		if got := r.get("s", "/prompt").body; !strings.Contains(got, `"queue_remaining": 1`) {
			t.Errorf("dead worker: %s", got)
		}
		l := r.listen("me")
		synctest.Wait()
		s.DropSockets()
		synctest.Wait()
		select {
		case <-l.done:
		default:
			t.Error("the socket is still open")
		}
	})
}

// Jobs without a client_id tell their progress to everybody.
func TestPromptsWithoutClientBroadcastProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, oneServer(nil), Options{})
		defer r.stop()
		l := r.listen("bystander")
		id := r.submit("s", slow(2, 4, 1), "")
		r.wait(3)
		r.do("s", "POST", "/interrupt", "")
		r.wait(3)
		got := l.kinds()
		for _, kind := range []string{"progress", "progress_state", "execution_interrupted"} {
			if !slices.Contains(got, kind) {
				t.Errorf("heard %v of %s, want %s", got, id, kind)
			}
		}
		for _, kind := range []string{"execution_start", "executing"} {
			if slices.Contains(got, kind) {
				t.Errorf("heard %s", kind)
			}
		}
	})
}

func TestDateIsTheClocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, oneServer(nil), Options{})
		defer r.stop()
		r.wait(90)
		at, err := time.Parse(time.RFC1123, r.get("s", "/prompt").header.Get("Date"))
		if err != nil || !at.Equal(time.Now().UTC().Truncate(time.Second)) {
			t.Errorf("Date %v (%v), want %v", at, err, time.Now().UTC())
		}
	})
}

package scheduler_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/comfy"
	"reckoner/scheduler/job"
	"reckoner/scheduler/sim"
	"reckoner/scheduler/transfer"
	"reckoner/store"
)

// makespanAtMost is what holding jobs here may cost a GPU, against handing the
// server the whole queue at once.
const makespanAtMost = 1.01

// BenchmarkMakespan runs fifty jobs of a second, held here and sent one by one,
// and the same handed to the server at once, on simulated servers over the
// loopback interface, with records on disk and results fetched. It fails when
// the first takes over 1.01 times as long as the second. All times are the
// server's own.
func BenchmarkMakespan(b *testing.B) {
	const jobs = 50
	for b.Loop() {
		held := heldHere(b, jobs)
		handed := handedOver(b, jobs)
		ratio := held.makespan().Seconds() / handed.makespan().Seconds()
		gaps := held.gaps()
		b.ReportMetric(ratio, "ratio")
		b.ReportMetric(ms(gaps[len(gaps)/2]), "ms-median-gap")
		b.ReportMetric(ms(gaps[len(gaps)*99/100]), "ms-p99-gap")
		if ratio > makespanAtMost {
			b.Errorf("held here the jobs take %v, handed over %v: %.4f times as long; gaps %v",
				held.makespan(), handed.makespan(), ratio, gaps)
		}
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// spans are when a server ran its prompts, by its own stamps, in their order.
type spans []span

type span struct{ from, to time.Time }

func (s spans) makespan() time.Duration { return s[len(s)-1].to.Sub(s[0].from) }

// gaps are the pauses between two prompts, the shortest first.
func (s spans) gaps() []time.Duration {
	var out []time.Duration
	for i := 1; i < len(s); i++ {
		out = append(out, s[i].from.Sub(s[i-1].to))
	}
	slices.Sort(out)
	return out
}

func oneSecond(seed int) string {
	return fmt.Sprintf(`{"1":{"class_type":"EmptyImage","inputs":{"width":64,"height":64,"batch_size":1,"color":255}},
		"2":{"class_type":"SlowSampler","inputs":{"image":["1",0],"steps":10,"seconds":0.9,"seed":%d}},
		"3":{"class_type":"SaveImage","inputs":{"images":["2",0],"filename_prefix":"hill"}}}`, seed)
}

// renderServer serves a simulated one on the loopback interface.
func renderServer(b *testing.B) string {
	b.Helper()
	world, err := sim.Open(sim.Scenario{Name: "bench", Machines: []sim.Machine{{
		Name: "m", GPUs: []sim.GPU{{UUID: "u", Name: "g", LimitW: 100, IdleW: 10, MemoryMiB: 16000, Speed: 1}},
		Servers: []sim.ServerSpec{{Name: "s", Seconds: map[string]float64{"SaveImage": 0.1}}},
	}}}, sim.Options{})
	if err != nil {
		b.Fatal(err)
	}
	ends, err := world.Start(b.Context(), func(string) (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") })
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := world.Stop(context.Background()); err != nil {
			b.Error(err)
		}
	})
	return ends[0].URL
}

// heldHere lets an engine with all its parts send the jobs.
func heldHere(b *testing.B, jobs int) spans {
	b.Helper()
	url, dir := renderServer(b), b.TempDir()
	files := make([]string, jobs)
	for i := range files {
		files[i] = filepath.Join(dir, fmt.Sprintf("hill-%02d.json", i))
		if err := os.WriteFile(files[i], []byte(oneSecond(i)), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	newID := func() job.ID {
		var id [16]byte
		_, _ = rand.Read(id[:]) // never fails
		return job.UUIDFrom(id)
	}
	records, err := store.Open(filepath.Join(dir, "data"), store.Options{Now: time.Now, NewID: newID})
	if err != nil {
		b.Fatal(err)
	}
	client, err := comfy.New(comfy.Options{URL: url})
	if err != nil {
		b.Fatal(err)
	}
	engine, err := scheduler.New(scheduler.Config{
		Store: records, Clock: job.NewClock(1), NewID: newID,
		Connect: func(job.Server) (scheduler.RenderServer, error) { return client, nil },
		Fetcher: transfer.NewFetcher(func(job.ID) (transfer.Viewer, bool) { return client, true }, transfer.Options{}),
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := engine.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	defer func() {
		err := errors.Join(engine.Stop(context.Background()), records.Close())
		client.Close()
		if err != nil {
			b.Error(err)
		}
	}()
	err = engine.AddMachine(b.Context(), job.Machine{ID: newID(), Name: "m"}, []job.Server{{ID: newID(), Name: "s", URL: url}})
	if err != nil {
		b.Fatal(err)
	}
	told := engine.Follow()
	defer told.Close()
	added, err := engine.Add(b.Context(), scheduler.AddRequest{Files: files, OutDir: filepath.Join(dir, "out")})
	if err != nil || len(added.Jobs) != jobs {
		b.Fatalf("added %d of %d: %v", len(added.Jobs), jobs, err)
	}
	return untilDone(b, told, jobs)
}

// untilDone waits for the end of every job, and gives when their runs were.
func untilDone(b *testing.B, told *scheduler.Follower, jobs int) spans {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), time.Duration(jobs)*5*time.Second)
	defer cancel()
	var out spans
	for ended := 0; ended < jobs; {
		ev, err := told.Next(ctx)
		if err != nil {
			b.Fatalf("%d of %d jobs ended: %v", ended, jobs, err)
		}
		switch ev.Kind {
		case job.EventRunEnded:
			if ev.Run.Outcome != job.RunSucceeded {
				b.Fatalf("a run %s: %v", ev.Run.Outcome, ev.Run.Err)
			}
			out = append(out, span{ev.Run.ServerStarted, ev.Run.ServerEnded})
		case job.EventJobEnded:
			ended++
		default:
			// Only ends are counted.
		}
	}
	return out
}

// handedOver posts every job at once and waits for the server to run them.
func handedOver(b *testing.B, jobs int) spans {
	b.Helper()
	url := renderServer(b)
	client, err := comfy.New(comfy.Options{URL: url})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	ids := make([]string, jobs)
	for i := range ids {
		ids[i] = post(b, url, fmt.Sprintf(`{"client_id":"script","prompt":%s}`, oneSecond(i)))
	}
	var out spans
	for end := time.Now().Add(time.Duration(jobs) * 5 * time.Second); len(out) < jobs; time.Sleep(100 * time.Millisecond) {
		r, ok, err := client.Record(b.Context(), ids[len(out)])
		if err != nil || time.Now().After(end) {
			b.Fatalf("%d of %d jobs ended: %v", len(out), jobs, err)
		}
		if ok {
			out = append(out, span{r.Started, r.Ended})
		}
	}
	return out
}

func post(b *testing.B, url, body string) string {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url+"/prompt", strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		b.Fatalf("%d %s, %v", resp.StatusCode, text, err)
	}
	var reply struct {
		PromptID string `json:"prompt_id"`
	}
	if err := json.Unmarshal(text, &reply); err != nil {
		b.Fatal(err)
	}
	return reply.PromptID
}

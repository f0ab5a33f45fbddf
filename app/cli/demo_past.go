package cli

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"time"

	"reckoner/assets"
	"reckoner/scheduler/job"
	"reckoner/scheduler/jobfile"
)

// pastSpan is how far the demo's past reaches back.
const pastSpan = 21 * 24 * time.Hour

// pastWork is past runs of one sample's job type on one machine.
type pastWork struct {
	sample, machine string
	runs            int
	// low, mid and high are the shortest, the median and the longest run.
	low, mid, high float64
	// shared is the duration of a run that somebody else slowed, 0 for none.
	shared float64
}

// demoPast is the past of the story: 41 runs of 4.7 min, and one of 14.4 min
// that was slowed itself and must not count.
var demoPast = []pastWork{
	{sample: "harbour-night", machine: "gpu-1", runs: 41, low: 4.3 * 60, mid: 4.7 * 60, high: 5.2 * 60, shared: 14.4 * 60},
	{sample: "harbour-night", machine: "attic", runs: 18, low: 93, mid: 99, high: 109},
	{sample: "dune-sunrise", machine: "attic", runs: 12, low: 8.6, mid: 9.1, high: 10.2},
}

// writePast writes past runs the way the engine writes them. A folder that has
// some already is left as it is.
func (d *demo) writePast(ctx context.Context, st storage) error {
	random := rand.New(rand.NewPCG(demoSeed, demoSeed)) //nolint:gosec // the same demo every time
	now := d.clock.Now().Wall
	written := map[string]bool{}
	for _, w := range demoPast {
		f, err := readSample(w.sample)
		if err != nil {
			return err
		}
		if !written[f.Type.Key] {
			there, err := st.PastRuns(ctx, f.Type.Key, 1)
			if err != nil {
				return fmt.Errorf("look for the demo's past: %w", err)
			}
			if len(there) > 0 {
				return nil
			}
			written[f.Type.Key] = true
		}
		srv, ok := d.server(w.machine)
		if !ok {
			return fmt.Errorf("the demo has no machine %s", w.machine)
		}
		if err := st.Save(ctx, w.records(f, srv, now, random)); err != nil {
			return fmt.Errorf("write the demo's past: %w", err)
		}
	}
	return nil
}

func (d *demo) server(name string) (job.Server, bool) {
	for _, srv := range d.park.servers {
		if srv.Name == name {
			return srv, true
		}
	}
	return job.Server{}, false
}

func readSample(name string) (jobfile.File, error) {
	content, err := fs.ReadFile(assets.Samples, "samples/"+name+".json")
	if err != nil {
		return jobfile.File{}, fmt.Errorf("read the sample job %s: %w", name, err)
	}
	f, err := jobfile.Read(bytes.NewReader(content), name+".json")
	if err != nil {
		return f, fmt.Errorf("read the sample job %s: %w", name, err)
	}
	return f, nil
}

// records makes the jobs and runs of a piece of the past, the oldest first.
func (w pastWork) records(f jobfile.File, srv job.Server, now time.Time, random *rand.Rand) job.Changes {
	durations := w.durations(random)
	labels := make([]job.Label, len(durations))
	for i := range labels {
		labels[i] = job.Clean
	}
	if w.shared > 0 {
		at := len(durations) * 3 / 4
		durations = append(durations[:at:at], append([]float64{w.shared}, durations[at:]...)...)
		labels = append(labels[:at:at], append([]job.Label{job.Shared}, labels[at:]...)...)
	}
	var c job.Changes
	for i, s := range durations {
		// Spread over the past weeks, the last one some hours ago.
		ago := time.Duration(float64(pastSpan)*float64(len(durations)-i)/float64(len(durations)+1)) + 3*time.Hour
		j, r := w.record(i, f, srv, now.Add(-ago), s, labels[i])
		c.Jobs, c.Runs = append(c.Jobs, j), append(c.Runs, r)
	}
	return c
}

// durations gives the runs' seconds in a random order: shortest, median and
// longest as they are told, the others between them, closer to the median.
func (w pastWork) durations(random *rand.Rand) []float64 {
	ds := make([]float64, w.runs)
	for i := range ds {
		q := 2*float64(i)/float64(w.runs-1) - 1 // -1 to 1
		side := w.high - w.mid
		if q < 0 {
			side = w.mid - w.low
		}
		ds[i] = math.Round(1000*(w.mid+side*math.Copysign(math.Pow(math.Abs(q), 1.6), q))) / 1000
	}
	random.Shuffle(len(ds), func(a, b int) { ds[a], ds[b] = ds[b], ds[a] })
	return ds
}

func (w pastWork) record(
	i int, f jobfile.File, srv job.Server, ended time.Time, seconds float64, label job.Label,
) (*job.Job, *job.Run) {
	id := idFrom("demo past", fmt.Sprint(w.sample, w.machine, i))
	started := ended.Add(-time.Duration(seconds * float64(time.Second)))
	sent := started.Add(-time.Second)
	j := &job.Job{
		ID: id, Batch: id, Name: fmt.Sprintf("%s-%02d", w.sample, i+1), Type: f.Type, Added: sent, Place: -int64(i) - 1,
		State: job.JobEnded, Attempt: 1, Outcome: job.JobDone, Ended: ended,
		Hidden: true, // the list shows what belongs to the story; the history has all
	}
	r := &job.Run{
		ID: job.RunID(id, 1), Job: id, Attempt: 1, Server: srv.ID, URL: srv.URL, GPU: srv.GPU, TypeKey: f.Type.Key,
		PromptID: string(job.RunID(id, 1)), State: job.RunEnded,
		Intended: sent, Sent: sent, Submitted: sent, Started: started, Ended: ended,
		ServerStarted: started, ServerEnded: ended, Seconds: job.Known(seconds),
		Outcome: job.RunSucceeded, Label: label, Start: job.Warm,
		Witnesses: []job.Witness{{Kind: job.SawHistory, At: ended}},
	}
	return j, r
}

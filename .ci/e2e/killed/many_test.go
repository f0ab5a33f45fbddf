package killed

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

var (
	kills = flag.Int("kills", 5, "how often to kill the program while it works off a queue")
	seed  = flag.Uint64("seed", 1, "decides when it is killed")
)

// jobs is how many jobs are in the queue.
const jobs = 20

// TestAQueueSurvivesManyKills takes about a second a kill: make test has a few,
// make kills has 200.
func TestAQueueSurvivesManyKills(t *testing.T) {
	if *program == "" || *kills <= 0 {
		t.Fatal("say which program to test, and how often to kill it: -args -reckoner=PATH -kills=200")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute+time.Duration(*kills)*5*time.Second)
	defer cancel()
	rng := rand.New(rand.NewPCG(*seed, 0))

	// Given a render server, and a queue that takes about as long as the kills do:
	// at the machine's own speed it is eight minutes' work
	server := simulate(ctx, t, strconv.FormatFloat(480/float64(*kills), 'f', 3, 64))
	out := t.TempDir()
	command := append([]string{"run", "--json", "--server", server, "--data", t.TempDir(), "--out", out}, files(t)...)

	// when the program is killed at random moments, and the same command is given
	// again each time
	killed := 0
	for ; killed < *kills; killed++ {
		c := start(ctx, t, command)
		over := make(chan struct{})
		go func() {
			defer close(over)
			c.until("never")
		}()
		select {
		case <-over: // the queue was worked off before the last kill
		case <-time.After(time.Duration(rng.IntN(1500)) * time.Millisecond):
		}
		_ = c.cmd.Process.Kill() // it may have ended
		<-over
		if err := c.cmd.Wait(); err == nil {
			break
		}
	}
	last := start(ctx, t, command)
	last.until("never")
	if err := last.cmd.Wait(); err != nil {
		t.Errorf("the last command: %v\n%s", err, last.stderr)
	}

	// then every job was run once, and has one result
	ran := tags(ctx, t, server)
	for job, n := range ran {
		if n != 1 {
			t.Errorf("job %s was sent %d times", job, n)
		}
	}
	if got := results(t, out); len(ran) != jobs || len(got) != jobs {
		t.Errorf("%d jobs ran, with %d results; want %d of each: %q", len(ran), len(got), jobs, got)
	}
	t.Logf("killed %d times (seed %d): %d jobs, each sent once, with one result each", killed, *seed, len(ran))
}

// files makes the job files: the same picture with another seed each, so that the
// server has nothing cached.
func files(t *testing.T) []string {
	t.Helper()
	job, err := os.ReadFile(filepath.Join("testdata", "job.json"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	paths := make([]string, jobs)
	for i := range paths {
		other := strings.Replace(string(job), "8566257", strconv.Itoa(1000+i), 1)
		if other == string(job) {
			t.Fatal("the job's seed is another one")
		}
		paths[i] = filepath.Join(dir, fmt.Sprintf("job-%02d.json", i))
		if err := os.WriteFile(paths[i], []byte(other), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return paths
}

// tags counts the prompts of each job in the server's queue and history.
func tags(ctx context.Context, t *testing.T, server string) map[string]int {
	t.Helper()
	found := map[string]int{}
	for _, path := range []string{"/queue", "/history"} {
		body, err := get(ctx, server+path)
		if err != nil {
			t.Fatal(err)
		}
		var all any
		if err := json.Unmarshal(body, &all); err != nil {
			t.Fatal(err)
		}
		count(all, found)
	}
	return found
}

func count(v any, found map[string]int) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			count(x, found)
		}
	case map[string]any:
		if tag, ok := v["reckoner"].(map[string]any); ok {
			if job, ok := tag["job"].(string); ok {
				found[job]++
			}
		}
		for _, x := range v {
			count(x, found)
		}
	}
}

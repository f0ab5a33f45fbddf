package comfy

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"reckoner/scheduler/job"
	"reckoner/scheduler/sim"
)

// behaviour is one thing that holds between client and server. run says what,
// reading from the profile in what versions differ.
type behaviour struct {
	name string
	run  func(l *lab)
	// real says that it needs no fault and no class but the core's and the slow
	// node, so it can be seen on any server.
	real bool
	// loopback repeats it over the network.
	loopback bool
	// cloud says that it holds on Comfy Cloud, which is not supported: what is
	// said of that, and what does no harm.
	cloud bool
	// spec changes the simulated server before it starts.
	spec func(*sim.ServerSpec)
}

func behaviours() []behaviour {
	return slices.Concat(probing(), submitting(), refusing(), following(), ending(), socketing(), queueing(), stopping(), viewing(), uploading())
}

// TestConformance holds the client against every version of the simulated
// server, one subtest for each profile and behaviour. With RECKONER_COMFY_URL
// set it does so against that server too, which should be idle, with what needs
// no model; RECKONER_SLOW_NODE describes a node that takes its time there, as in
// slowNode.
func TestConformance(t *testing.T) {
	names := map[string]bool{}
	for _, b := range behaviours() {
		if names[b.name] {
			t.Fatalf("two behaviours are named %q", b.name)
		}
		names[b.name] = true
	}
	if len(names) < 60 {
		t.Errorf("%d behaviours, want at least 60", len(names))
	}
	for _, p := range profiles() {
		if testing.Short() && !slices.Contains([]string{"legacy-2024-01", "0.3.64"}, p.name) {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			for _, b := range behaviours() {
				if p.cloud && !b.cloud {
					continue
				}
				t.Run(b.name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { b.run(newLab(t, p, b.spec)) })
				})
			}
		})
	}
	t.Run("loopback", func(t *testing.T) {
		for _, b := range behaviours() {
			if !b.loopback {
				continue
			}
			t.Run(b.name, func(t *testing.T) { b.run(newLoopbackLab(t, profileNamed("0.3.64"), b.spec)) })
		}
	})
	t.Run("real", func(t *testing.T) {
		url := os.Getenv("RECKONER_COMFY_URL")
		if url == "" {
			t.Skip("RECKONER_COMFY_URL is not set")
		}
		p := realProfile(t, url)
		for _, b := range behaviours() {
			if !b.real {
				continue
			}
			t.Run(b.name, func(t *testing.T) { b.run(newRealLab(t, p, url)) })
		}
	})
}

// TestTheProfilesAreTheSimulations misses one that was added on one side only.
func TestTheProfilesAreTheSimulations(t *testing.T) {
	var names []string
	for _, p := range profiles() {
		names = append(names, p.name)
	}
	simulated := sim.Protocols()
	slices.Sort(names)
	slices.Sort(simulated)
	if !slices.Equal(names, simulated) {
		t.Errorf("profiles %v, simulated %v", names, simulated)
	}
}

func profileNamed(name string) profile {
	all := profiles()
	return all[slices.IndexFunc(all, func(p profile) bool { return p.name == name })]
}

// realProfile takes what is expected of a real server from its version, as the
// protocol's description gives it; a server without one is of 2024.
func realProfile(t *testing.T, url string) profile {
	t.Helper()
	c := newTest(t, Options{URL: url})
	info, err := c.Probe(t.Context())
	if err != nil {
		t.Fatalf("probe %s: %v", c.URL(), err)
	}
	own := atLeast(info.Version, 0, 3, 45)
	return profile{
		name: "real", version: info.Version, success: true, stamps: true,
		ownIDs: own, features: own, targeted: atLeast(info.Version, 0, 3, 57),
	}
}

func newRealLab(t *testing.T, p profile, url string) *lab {
	t.Helper()
	l := &lab{
		t: t, p: p, url: url, dial: (&net.Dialer{}).DialContext, slow: simulatedSlowNode(), unit: time.Second,
		seed: int(time.Now().UnixNano() % 1e9),
	}
	if text := os.Getenv("RECKONER_SLOW_NODE"); text != "" {
		l.slow = slowNode{}
		if err := json.Unmarshal([]byte(text), &l.slow); err != nil {
			t.Fatalf("RECKONER_SLOW_NODE: %v", err)
		}
	}
	l.connect()
	t.Cleanup(l.clear)
	return l
}

// clear takes what is left of a test off a real server, so that it keeps no
// other one waiting.
func (l *lab) clear() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		q, err := l.client.Queue(ctx)
		if err != nil {
			l.t.Errorf("clear the queue: %v", err)
			return
		}
		left := 0
		for _, p := range slices.Concat(q.Pending, q.Running) {
			if !slices.Contains([]string{"me", "other"}, p.Client) {
				continue
			}
			left++
			err := l.client.Remove(ctx, p.ID)
			if ierr := l.client.Interrupt(ctx, p.ID); ierr != nil && job.CodeOf(ierr) != job.ErrUnsupported {
				err = ierr
			}
			if err != nil {
				l.t.Errorf("clear the queue of %s: %v", p.ID, err)
			}
		}
		if left == 0 {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
}

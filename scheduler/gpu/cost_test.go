package gpu

import (
	"strings"
	"testing"
	"time"
)

func TestTheCostOfLookingIsMeasured(t *testing.T) {
	// Given a tool that computes all the time between its rows, and one that waits.
	busy := script(header, row("0", "1", "9.00"), "!spin 4", "!hang")
	lazy := script(header, row("0", "1", "9.00"), "!pause", row("0", "1", "9.00"), "!pause", row("0", "1", "9.00"), "!pause",
		row("0", "1", "9.00"), "!pause", row("0", "1", "9.00"), "!pause", row("0", "1", "9.00"), "!pause",
		row("0", "1", "9.00"), "!pause", row("0", "1", "9.00"), "!pause", row("0", "1", "9.00"), "!pause", row("0", "1", "9.00"), "!hang")
	busy = strings.ReplaceAll(busy, "!spin 4", "!spin 4\n"+row("0", "1", "9.00"))
	var calls asked
	opt := byTool(&calls, [2]string{"ssh -T", busy}, [2]string{"--query-gpu", lazy})
	// When both are measured, then what each costs is its own.
	costs := Measure(t.Context(), []string{"ssh:render-01", "nvidia-smi", "nonsense"}, opt, 2500*time.Millisecond)
	if len(costs) != 3 || costs[0].Source != "ssh:render-01" {
		t.Fatalf("costs %+v", costs)
	}
	if core := costs[0].Core.Or(0); core < .15 {
		t.Errorf("the busy one costs %.3f of a core", core)
	}
	lazyCore, ok := costs[1].Core.Get()
	if !ok || lazyCore > costs[0].Core.Or(0)/2 {
		t.Errorf("the lazy one costs %.3f of a core, known %v", lazyCore, ok)
	}
	if costs[2].Core.Known() || costs[2].Err == nil {
		t.Errorf("what is no source costs %+v", costs[2])
	}
}

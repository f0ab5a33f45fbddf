package app

import (
	"slices"
	"strings"
	"testing"

	"reckoner/app/machines"
	"reckoner/app/scenetest"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

func TestChangingAnAddressMovesTheMachine(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Story()}
	w := open(t, f)
	var problem string
	change := machines.Wish{Name: "cellar", Address: "http://cellar:8188", Source: "ssh:cellar, nvidia-smi", Machine: scenetest.GPU1, Change: true}
	w.addMachine(change, func(p string) { problem = p })
	if problem != "" || !slices.Equal(f.removed, []job.ID{scenetest.GPU1}) || f.machine.ID != scenetest.GPU1 || f.machine.Name != "cellar" {
		t.Fatalf("problem %q, removed %v, added %+v", problem, f.removed, f.machine)
	}
	if len(f.servers) != 2 || f.servers[0].URL != "http://cellar:8188" || f.servers[0].ID != "server-gpu-1" || !f.servers[1].WatchOnly {
		t.Errorf("its servers are %+v, want the second one as it was", f.servers)
	}
	if !slices.Equal(f.machine.Sources, []string{"ssh:cellar", "nvidia-smi"}) {
		t.Errorf("its sources are %v", f.machine.Sources)
	}
	f.removed = nil
	change.Address, change.Name = "http://gpu-1:8188", "gpu one"
	w.addMachine(change, func(p string) { problem = p })
	if len(f.removed) != 0 || f.machine.Name != "gpu one" {
		t.Errorf("a new name alone removed %v and left the name %q", f.removed, f.machine.Name)
	}
}

func TestAMachineBehindSSHIsNotLookedAtWhileItsAddressIsTyped(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Story()}
	w := open(t, f)
	var found machines.Found
	w.probe("ssh:root@gpu-9:41022/8000", nil, func(got machines.Found) { found = got })
	if !found.Behind || found.URL != "ssh:root@gpu-9:41022/8000" || len(f.probed) != 0 {
		t.Errorf("found %+v, looked at %v", found, f.probed)
	}
	w.addMachine(machines.Wish{Address: "ssh:root@gpu-9:41022/8000"}, func(string) {})
	if f.machine.Name != "gpu-9" || len(f.servers) != 1 || f.servers[0].URL != "ssh:root@gpu-9:41022/8000" {
		t.Errorf("added %+v with %+v", f.machine, f.servers)
	}
}

func TestAMachineInUseStaysAndItIsSaid(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Story(), err: scheduler.ErrInUse}
	w := open(t, f)
	w.removeMachine(f.snap.Machines[0].Machine)
	dismissed(t, w, "Remove it")
	if said := overlay(w); len(f.removed) != 1 || !strings.Contains(said, "A job of yours is still there") {
		t.Errorf("removed %v; the dialog says %q", f.removed, said)
	}
}

func TestOnlyWhatIsNoLongerTypedIsLookedAt(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Story()}
	w := open(t, f)
	var later []func()
	w.goes = func(g func()) { later = append(later, g) }
	for _, address := range []string{"g", "gp", "gpu-9", "not an address"} {
		w.probe(address, nil, func(machines.Found) {})
	}
	w.probe("gpu-9", nil, func(machines.Found) {})
	for _, g := range later {
		g()
	}
	if !slices.Equal(f.probed, []string{"http://gpu-9:8188"}) {
		t.Errorf("looked at %v", f.probed)
	}
}

func TestComfyUIOnThisComputerIsOffered(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Empty(), local: []string{"http://127.0.0.1:8188"}}
	w := open(t, f)
	w.lookForLocal()
	if said := words(w.shell); !strings.Contains(said, "It answers at http://127.0.0.1:8188") || !strings.Contains(said, "Add this computer") {
		t.Fatalf("the page says\n%s", said)
	}
	w.addLocal("http://127.0.0.1:8188")
	if f.machine.Name != "this computer" || !slices.Equal(f.machine.Sources, []string{"nvidia-smi"}) || len(f.servers) != 1 {
		t.Errorf("added %+v with %+v", f.machine, f.servers)
	}
}

func TestOthersThatWereFoundCanBeWatched(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Story()}
	w := open(t, f)
	var found machines.Looked
	w.lookForOthers(scenetest.GPU1, func(o machines.Looked) { found = o })
	if !slices.Equal(f.lookedAt, []job.ID{scenetest.GPU1}) || !slices.Equal(found.Found, []string{"http://gpu-1:8190"}) || found.Err != nil {
		t.Fatalf("looked at %v, found %+v", f.lookedAt, found)
	}
	w.addMachine(machines.Wish{Address: found.Found[0], Machine: scenetest.GPU1, WatchOnly: true}, func(string) {})
	if f.machine.ID != scenetest.GPU1 || !slices.ContainsFunc(f.servers, func(s job.Server) bool {
		return s.URL == "http://gpu-1:8190" && s.WatchOnly
	}) {
		t.Errorf("%s has %+v", f.machine.ID, f.servers)
	}
}

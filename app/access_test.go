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

func TestWhatOpensAServerIsKeptApartFromItsRecord(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Story()}
	w := open(t, f)
	for _, c := range []struct{ wish, keeps machines.Wish }{
		{machines.Wish{Address: "me:sesame@studio/comfy?token=tok-en"}, machines.Wish{Address: "http://me:sesame@studio:8188/comfy?token=tok-en"}},
		{machines.Wish{Address: "studio", Key: "me:sesame"}, machines.Wish{Address: "http://studio:8188", Key: "me:sesame"}},
	} {
		// When a server is added with what opens it
		w.addMachine(c.wish, func(problem string) {
			if problem != "" {
				t.Error(problem)
			}
		})
		// then its record has none of that, and what is kept is all of it
		srv := f.servers[0]
		if strings.Contains(srv.URL+srv.Name+f.machine.Name, "sesame") || strings.Contains(srv.URL, "token") {
			t.Errorf("the records are %+v, %+v", f.machine, srv)
		}
		if got, want := f.kept[srv.ID], c.keeps.Address+" "+c.keeps.Key; got != want {
			t.Errorf("kept %q, want %q", got, want)
		}
		if said := overlay(w); !strings.Contains(said, "only you can read") || strings.Contains(said, "sesame") {
			t.Errorf("of the file it says %q", said)
		}
		dismissed(t, w, "OK")
	}
}

func TestWhatOpensAServerDoesNotFollowItToAnotherAddress(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Story(), kept: map[job.ID]string{"server-gpu-1": "sesame"}}
	w := open(t, f)
	change := machines.Wish{Name: "gpu one", Address: "http://gpu-1:8188", Machine: scenetest.GPU1, Change: true}
	done := func(problem string) {
		if problem != "" {
			t.Error(problem)
		}
	}
	// A new name leaves it
	w.addMachine(change, done)
	if len(f.kept) != 1 || len(f.removed) != 0 {
		t.Errorf("a new name left %v and removed %v", f.kept, f.removed)
	}
	// a new word replaces it, and connects anew
	change.Key = "abc"
	w.addMachine(change, done)
	if !strings.Contains(f.kept["server-gpu-1"], "abc") || len(f.removed) != 1 {
		t.Errorf("a new word left %v and removed %v", f.kept, f.removed)
	}
	dismissed(t, w, "OK")
	// a new address forgets it
	change.Key, change.Address = "", "http://elsewhere:8188"
	w.addMachine(change, done)
	if len(f.kept) != 0 || f.servers[0].URL != "http://elsewhere:8188" {
		t.Errorf("a new address left %v", f.kept)
	}
}

func TestWhatOpensAMachineGoesWithIt(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Story(), kept: map[job.ID]string{"server-gpu-1": "sesame", "another": "x"}}
	w := open(t, f)
	w.removeMachine(f.snap.Machines[0].Machine)
	dismissed(t, w, "Remove it")
	if _, left := f.kept["server-gpu-1"]; left || len(f.kept) != 1 {
		t.Errorf("left is %v", f.kept)
	}
}

func TestACertificateIsTrustedOnceItWasShown(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Story()}
	w := open(t, f)
	srv := f.snap.Machines[0].Servers[0].Server
	// When the user wants to trust it, its fingerprint is shown first
	w.trustCertificate(srv, "AB:CD")
	if said := overlay(w); !strings.Contains(said, "AB:CD") || strings.Contains(said, "another one") || len(f.servers) != 0 {
		t.Fatalf("it says %q and made %+v", said, f.servers)
	}
	dismissed(t, w, "Trust it")
	// then it is that server's, and the others stay as they were
	if len(f.servers) != 2 || !slices.Equal(f.servers[0].Pins, []string{"AB:CD"}) || len(f.servers[1].Pins) != 0 {
		t.Errorf("the servers are %+v", f.servers)
	}
	// and one that changed is said to have changed
	srv.Pins = []string{"AB:CD"}
	w.trustCertificate(srv, "EF:01")
	if said := overlay(w); !strings.Contains(said, "another one than you accepted before") {
		t.Errorf("of a changed one it says %q", said)
	}
}

func TestAComputerBehindSSHIsTrustedOnceItsKeyWasShown(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Story()}
	w := open(t, f)
	w.trustComputer("ssh:me@gpu-9", "ED25519 SHA256:abc")
	if said := overlay(w); !strings.Contains(said, "ED25519 SHA256:abc") || len(f.known) != 0 {
		t.Fatalf("it says %q, known are %v", said, f.known)
	}
	dismissed(t, w, "Trust it")
	if !slices.Equal(f.known, []string{"ssh:me@gpu-9 ED25519 SHA256:abc"}) {
		t.Errorf("known are %v", f.known)
	}
	dismissed(t, w, "OK")
	// A key that is another one by now is not taken, and that is said
	f.err = job.Errorf(job.ErrHostKey, job.Args{Value: "ssh:me@gpu-9", Fingerprint: "ED25519 SHA256:xyz"}, nil)
	w.trustComputer("ssh:me@gpu-9", "ED25519 SHA256:abc")
	dismissed(t, w, "Trust it")
	if said := overlay(w); !strings.Contains(said, "another key now: ED25519 SHA256:xyz") {
		t.Errorf("it says %q", said)
	}
}

func TestAServerIsChecked(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Story(), checkup: job.Checkup{Ran: true}}
	w := open(t, f)
	var got machines.Checked
	w.check("server-attic", func(c machines.Checked) { got = c })
	if !got.Found.Ran || got.At.IsZero() || !slices.Equal(f.checked, []job.ID{"server-attic"}) {
		t.Errorf("checked %v: %+v", f.checked, got)
	}
	f.err = scheduler.ErrInUse
	w.check("server-attic", func(c machines.Checked) { got = c })
	if got.Err == nil {
		t.Error("a check that could not be made says nothing")
	}
}

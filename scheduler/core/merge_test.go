package core_test

import (
	"testing"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// reads tells one reading of gpu-1.
func (w *world) reads(r job.Reading) {
	r.At = w.now.Wall
	w.step(core.ReadingsSeen{Machine: "gpu-1", Source: r.Source, Readings: []job.Reading{r}})
}

const (
	smiSource, comfySource = "ssh:gpu-1", "comfy:http://gpu-1"
	testUUID               = "1a2b0004-5a5a-4b4b-8c8c-0000c0ffee00"
)

func fromSMI(util, power float64) job.Reading {
	return job.Reading{
		Source: smiSource, GPU: job.GPU{UUID: testUUID, Index: job.Known(0), Name: "Test GPU"},
		Util: job.Known(util), Power: job.Known(power), Limit: job.Known(180.0),
	}
}

func fromComfy(mib int64) job.Reading {
	return job.Reading{
		Source: comfySource, GPU: job.GPU{Index: job.Known(0), Name: "Test GPU"},
		MemUsed: job.Known(mib << 20), MemTotal: job.Known(int64(16311 << 20)),
	}
}

func TestSourcesOfOneGPUAreMergedEachFigureWithItsOwnSourceAndAge(t *testing.T) {
	// Given a render server that tells the memory, and a tool that tells the rest,
	w := newWorld(t, "gpu-1")
	w.reads(fromComfy(9000))
	w.run(6 * time.Second)
	w.reads(fromSMI(97, 160))
	// then they are one GPU, by the name and uuid of the one that knows them,
	v := w.card()
	if v.GPU.UUID != testUUID || v.Last.Util != job.Known(97.0) || v.Last.MemUsed != job.Known(int64(9000<<20)) {
		t.Fatalf("merged: %+v", v.Last)
	}
	// and each figure says where it comes from and when.
	if o := v.Origins; o.Util.Source != smiSource || o.Memory.Source != comfySource || !o.Temp.At.IsZero() ||
		o.Util.At.Sub(o.Memory.At) != 6*time.Second {
		t.Errorf("origins %+v", o)
	}
	// Memory that comes later changes the memory, not the time of the rest.
	at := v.Last.At
	w.run(2 * time.Second)
	w.reads(fromComfy(9500))
	if v = w.card(); v.Last.MemUsed != job.Known(int64(9500<<20)) || !v.Last.At.Equal(at) || len(v.Recent) != 2 {
		t.Errorf("then: %+v, %d in the sparkline", v.Last, len(v.Recent))
	}
}

// A figure of a source that is gone is not shown as if it were new.
func TestASourceThatIsGoneLendsNothing(t *testing.T) {
	w := newWorld(t, "gpu-1")
	w.reads(fromSMI(97, 160))
	w.run(31 * time.Second)
	w.reads(fromComfy(9000))
	if v := w.card(); v.Last.Util.Known() || v.Origins.Util.Source != "" || v.Last.Source != comfySource {
		t.Errorf("half a minute later: %+v of %+v", v.Last, v.Origins)
	}
}

// Two cards of one model are two cards, and a server that may use only the second
// one counts it as its first.
func TestCardsOfOneModelAreToldApart(t *testing.T) {
	w := newWorld(t, "gpu-1")
	first, second := fromSMI(1, 20), fromSMI(97, 160)
	second.GPU.UUID, second.GPU.Index = "other", job.Known(1)
	w.reads(first)
	w.reads(second)
	if gpus := w.s.Snapshot(w.now).Machines[0].GPUs; len(gpus) != 2 || gpus[1].Last.Util != job.Known(97.0) {
		t.Fatalf("%+v", gpus)
	}
	lone := newWorld(t, "gpu-1")
	second.GPU.Index = job.Known(3)
	lone.reads(second)
	lone.reads(fromComfy(9000)) // calls it 0
	if v := lone.card(); v.Last.MemUsed != job.Known(int64(9000<<20)) || v.GPU.Index != job.Known(3) {
		t.Errorf("%+v", v.Last)
	}
}

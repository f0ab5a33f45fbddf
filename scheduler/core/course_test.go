package core_test

import (
	"testing"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

func TestARunKeepsTheConditionsUnderWhichItWent(t *testing.T) {
	// Given a machine whose GPU is read every second, hotter all the time, and without a memory figure
	w := newWorld(t, "gpu-1")
	w.hosts[0].seconds = 300
	for i := range 400 {
		w.later(time.Duration(i)*time.Second, func() {
			w.step(core.ReadingsSeen{Machine: "gpu-1", Source: "nvidia-smi", Readings: []job.Reading{{
				At: w.now.Wall, Source: "nvidia-smi", GPU: job.GPU{Name: "Test GPU"}, Driver: "580.95.05",
				Util: job.Known(98.0), Power: job.Known(170.0), Limit: job.Known(180.0), Temp: job.Known(40 + float64(i)/10),
			}}})
		})
	}
	id := w.add("video")
	w.runUntil("it ends", 10*time.Minute, w.ended(id))
	// then its record has versions and medians, and a course of few points over its whole time
	c := w.newest(id).Conditions
	if c.ComfyUI != "0.3.64" || c.Torch != "" || c.Driver != "580.95.05" || c.LimitW.Or(0) != 180 || c.UtilPct.Or(0) != 98 {
		t.Errorf("%+v", c)
	}
	if at := c.TempC.Or(0); at < 53 || at > 57 {
		t.Errorf("%v degrees in the median, want about 55", at)
	}
	n := len(c.Course.TempC)
	if n < 16 || n > 32 || c.Course.EveryS*float64(n) < 299 || c.Course.EveryS*float64(n) > 301 {
		t.Errorf("%d points, one every %v s", n, c.Course.EveryS)
	}
	if c.Course.TempC[0] > 52 || c.Course.TempC[n-1] < 68 || len(c.Course.MemMiB) != 0 {
		t.Errorf("%+v", c.Course)
	}
}

func TestNothingIsKnownOfConditionsThatNobodyTold(t *testing.T) {
	w := newWorld(t, "gpu-1")
	id := w.add("video")
	w.runUntil("it ends", 10*time.Minute, w.ended(id))
	c := w.newest(id).Conditions
	if c.ComfyUI != "0.3.64" || c.LimitW.Known() || c.TempC.Known() || c.Driver != "" || len(c.Course.UtilPct) > 0 {
		t.Errorf("%+v", c)
	}
}

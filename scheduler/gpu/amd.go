package gpu

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"runtime"
	"strconv"
	"strings"
	"time"

	"reckoner/scheduler/job"
)

// amd reads this machine's AMD GPUs from the files of the amdgpu driver under
// /sys (kernel documentation, gpu/amdgpu/thermal). No tool and no rights are
// needed. AMD's busy percentage can stand at 100 with nothing but an open
// client, so power says more about these cards.
type amd struct{ opt Options }

// Stream implements Source.
func (a *amd) Stream(ctx context.Context, period time.Duration, out func([]job.Reading)) error {
	return poll(ctx, period, a.Once, out)
}

// Once implements Source. Processes are not known.
func (a *amd) Once(context.Context) ([]job.Reading, []job.Process, error) {
	const cards = "class/drm"
	entries, err := fs.ReadDir(a.opt.Sys, cards)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, sourceError(job.ErrToolFailed, "amd", "", err)
	}
	if err != nil && runtime.GOOS != "linux" {
		return nil, nil, sourceError(job.ErrUnsupported, "amd", "this needs Linux", err)
	}
	var readings []job.Reading
	asleep := 0
	at := a.opt.Now()
	for _, e := range entries {
		number, err := strconv.Atoi(strings.TrimPrefix(e.Name(), "card"))
		if err != nil {
			continue // a connector, such as card1-DP-1
		}
		dir := path.Join(cards, e.Name(), "device")
		if sysText(a.opt.Sys, path.Join(dir, "vendor")) != "0x1002" {
			continue
		}
		if sysText(a.opt.Sys, path.Join(dir, "power/runtime_status")) == "suspended" {
			asleep++ // reading its sensors would wake it
			continue
		}
		s := amdCard(a.opt.Sys, dir)
		s.index = job.Known(number)
		readings = append(readings, s.reading(at, "amd"))
	}
	switch {
	case len(readings) == 0 && asleep > 0:
		return nil, nil, sourceError(job.ErrGPUAsleep, "amd", "", nil)
	case len(readings) == 0:
		return nil, nil, sourceError(job.ErrNoGPU, "amd", "no card of the amdgpu driver", nil)
	}
	byIndex(readings)
	return readings, nil, nil
}

// amdCard reads a card. Newer chips have power1_input where older ones have
// power1_average; both are microwatts.
func amdCard(sys fs.FS, dir string) sample {
	s := sample{
		uuid:     sysText(sys, path.Join(dir, "unique_id")),
		name:     sysText(sys, path.Join(dir, "product_name")),
		util:     sysNumber(sys, path.Join(dir, "gpu_busy_percent"), 1),
		memTotal: sysBytes(sys, path.Join(dir, "mem_info_vram_total")),
		memUsed:  sysBytes(sys, path.Join(dir, "mem_info_vram_used")),
	}
	if s.name == "" {
		s.name = "AMD GPU"
	}
	monitors, err := fs.ReadDir(sys, path.Join(dir, "hwmon"))
	if err != nil || len(monitors) == 0 {
		return s
	}
	mon := path.Join(dir, "hwmon", monitors[0].Name())
	s.power = sysNumber(sys, path.Join(mon, "power1_average"), 1e-6)
	if !s.power.Known() {
		s.power = sysNumber(sys, path.Join(mon, "power1_input"), 1e-6)
	}
	s.limitEnforced = sysNumber(sys, path.Join(mon, "power1_cap"), 1e-6)
	s.temp = sysNumber(sys, path.Join(mon, "temp1_input"), 1e-3)
	s.smClock = sysNumber(sys, path.Join(mon, "freq1_input"), 1e-6)
	return s
}

func sysNumber(sys fs.FS, name string, unit float64) job.Maybe[float64] {
	if v, ok := number(sysText(sys, name)).Get(); ok {
		return job.Known(v * unit)
	}
	return job.Maybe[float64]{}
}

func sysBytes(sys fs.FS, name string) job.Maybe[int64] {
	if v, ok := number(sysText(sys, name)).Get(); ok {
		return bytesOf(v, 1)
	}
	return job.Maybe[int64]{}
}

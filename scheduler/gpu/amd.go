package gpu

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"runtime"
	"slices"
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
		s := amdCard(filesOf(a.opt.Sys, dir))
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

// cardFiles read a card's files by their path below its device folder. "" is a file
// that is not there.
type cardFiles func(name string) string

// filesOf reads a card's files from a tree, with the folder of its sensors, which
// is numbered anew at every boot.
func filesOf(sys fs.FS, dir string) (read cardFiles, monitor string) {
	if monitors, err := fs.ReadDir(sys, path.Join(dir, "hwmon")); err == nil && len(monitors) > 0 {
		monitor = path.Join("hwmon", monitors[0].Name())
	}
	return func(name string) string { return sysText(sys, path.Join(dir, name)) }, monitor
}

// amdCard reads a card. Newer chips have power1_input where older ones have
// power1_average; both are microwatts.
func amdCard(read cardFiles, monitor string) sample {
	size := func(name string) job.Maybe[int64] {
		v, ok := number(read(name)).Get()
		if !ok {
			return job.Maybe[int64]{}
		}
		return bytesOf(v, 1)
	}
	s := sample{
		uuid: read("unique_id"), name: read("product_name"), util: number(read("gpu_busy_percent")),
		memTotal: size("mem_info_vram_total"), memUsed: size("mem_info_vram_used"),
	}
	if s.name == "" {
		s.name = "AMD GPU"
	}
	if monitor == "" {
		return s
	}
	sensor := func(name string, unit float64) job.Maybe[float64] {
		v, ok := number(read(path.Join(monitor, name))).Get()
		if !ok {
			return job.Maybe[float64]{}
		}
		return job.Known(v * unit)
	}
	s.power = sensor("power1_average", 1e-6)
	if !s.power.Known() {
		s.power = sensor("power1_input", 1e-6)
	}
	s.limitEnforced = sensor("power1_cap", 1e-6)
	s.temp = sensor("temp1_input", 1e-3)
	s.smClock = sensor("freq1_input", 1e-6)
	return s
}

// greppedCards reads what `grep -H . PATHS` printed of the files of cards: it
// reads all of another computer's in one go.
func greppedCards(text string) []sample {
	const root = "/sys/class/drm/card"
	cards := map[int]map[string]string{}
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), root)
		card, file, of := strings.Cut(rest, "/device/")
		index, err := strconv.Atoi(card)
		if !ok || !of || err != nil {
			continue
		}
		if cards[index] == nil {
			cards[index] = map[string]string{}
		}
		// No file of a driver has a colon in its name.
		name, value, _ := strings.Cut(file, ":")
		cards[index][name] = value
	}
	var samples []sample
	for _, index := range slices.Sorted(maps.Keys(cards)) {
		files, monitor := cards[index], ""
		if files["vendor"] != "0x1002" {
			continue
		}
		for name := range files {
			if parts := strings.Split(name, "/"); len(parts) > 2 && parts[0] == "hwmon" {
				monitor = path.Join(parts[0], parts[1])
			}
		}
		s := amdCard(func(name string) string { return files[name] }, monitor)
		s.index = job.Known(index)
		samples = append(samples, s)
	}
	return samples
}

package gpu

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"reckoner/scheduler/job"
)

// noSys is a computer without /sys.
type noSys struct{}

func (noSys) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// sysOf makes /sys of lines "path:value", as grep prints them.
func sysOf(text string) fstest.MapFS {
	tree := fstest.MapFS{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "/sys/"), ":0x"); ok {
			tree[name] = &fstest.MapFile{Data: []byte("0x" + value + "\n")}
			continue
		}
		i := strings.LastIndex(line, ":")
		tree[strings.TrimPrefix(line[:i], "/sys/")] = &fstest.MapFile{Data: []byte(line[i+1:])}
	}
	return tree
}

func TestAMDCardsAreReadFromTheDriversFiles(t *testing.T) {
	name := "38-amdgpu-sysfs.txt"
	sys := sysOf(string(testdata(t, name)))
	compareAll(t, []sample{amdCard(filesOf(sys, "class/drm/card1/device"))}, wantOf(t, name).GPUs)

	src, err := Open("amd", Options{Sys: sys})
	if err != nil {
		t.Fatal(err)
	}
	readings, _, err := src.Once(t.Context())
	if err != nil || len(readings) != 1 || readings[0].Limit.Or(0) != 339 || readings[0].GPU.Index.Or(-1) != 1 {
		t.Errorf("%+v, %v", readings, err)
	}

	sys["class/drm/card1/device/power/runtime_status"] = &fstest.MapFile{Data: []byte("suspended\n")}
	if _, _, err = src.Once(t.Context()); job.CodeOf(err) != job.ErrGPUAsleep {
		t.Errorf("a sleeping card: %v", err)
	}
	delete(sys, "class/drm/card1/device/vendor")
	if _, _, err = src.Once(t.Context()); job.CodeOf(err) != job.ErrNoGPU {
		t.Errorf("no card of AMD: %v", err)
	}
}

const optimus = `/sys/bus/pci/devices/0000:00:02.0/vendor:0x8086
/sys/bus/pci/devices/0000:00:02.0/class:0x030000
/sys/bus/pci/devices/0000:01:00.0/vendor:0x10de
/sys/bus/pci/devices/0000:01:00.0/class:0x030000
/sys/bus/pci/devices/0000:01:00.1/vendor:0x10de
/sys/bus/pci/devices/0000:01:00.1/class:0x040300
`

func TestASleepingGPUIsNotWoken(t *testing.T) {
	sys := sysOf(optimus)
	sys["bus/pci/devices/0000:01:00.0/power/runtime_status"] = &fstest.MapFile{Data: []byte("suspended\n")}
	var calls []string
	opt := scripted(&calls, "No devices were found\n!exit 6")
	opt.Sys = sys
	src, err := Open("nvidia-smi", opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := src.Stream(t.Context(), 0, nil); job.CodeOf(err) != job.ErrGPUAsleep {
		t.Errorf("the stream ended with %v", err)
	}
	if _, _, err := src.Once(t.Context()); job.CodeOf(err) != job.ErrGPUAsleep {
		t.Errorf("a reading ended with %v", err)
	}
	if len(calls) != 0 {
		t.Errorf("the driver was asked: %q", calls)
	}

	// Once it is awake by itself, it is asked.
	sys["bus/pci/devices/0000:01:00.0/power/runtime_status"].Data = []byte("active\n")
	if _, _, err := src.Once(t.Context()); job.CodeOf(err) != job.ErrNoGPU || len(calls) != 1 {
		t.Errorf("an awake one: %v, %q", err, calls)
	}
}

func TestOnlyTheAwakeGPUIsAskedBesideASleepingOne(t *testing.T) {
	sys := sysOf(optimus + "/sys/bus/pci/devices/0000:02:00.0/vendor:0x10de\n" +
		"/sys/bus/pci/devices/0000:02:00.0/class:0x030200\n")
	sys["bus/pci/devices/0000:01:00.0/power/runtime_status"] = &fstest.MapFile{Data: []byte("suspended\n")}
	var calls []string
	opt := scripted(&calls, "No devices were found\n!exit 6")
	opt.Sys = sys
	src, err := Open("nvidia-smi", opt)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := src.Once(t.Context()); err == nil {
		t.Error("no GPU was listed, and that is no error")
	}
	if len(calls) != 1 || !strings.Contains(calls[0], "-i 0000:02:00.0") || strings.Contains(calls[0], "01:00.0") {
		t.Errorf("asked with %q", calls)
	}
}

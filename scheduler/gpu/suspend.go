package gpu

import (
	"io/fs"
	"path"
	"strings"
)

// nvidiaPower gives the PCI addresses of this machine's NVIDIA GPUs by their
// runtime power state. Any question to the driver wakes a suspended one for
// seconds to minutes, at 5 to 25 W, so it is looked up in /sys first. Where
// nothing is told, all are empty.
func nvidiaPower(sys fs.FS) (awake, asleep []string) {
	const devices = "bus/pci/devices"
	entries, err := fs.ReadDir(sys, devices)
	if err != nil {
		return nil, nil // not Linux, or no PCI bus
	}
	for _, e := range entries {
		dir := path.Join(devices, e.Name())
		if sysText(sys, path.Join(dir, "vendor")) != "0x10de" {
			continue
		}
		if !strings.HasPrefix(sysText(sys, path.Join(dir, "class")), "0x03") { // display controllers
			continue
		}
		if sysText(sys, path.Join(dir, "power/runtime_status")) == "suspended" {
			asleep = append(asleep, e.Name())
		} else {
			awake = append(awake, e.Name())
		}
	}
	return awake, asleep
}

// sysText reads a one-line file of /sys, or "".
func sysText(sys fs.FS, name string) string {
	f, err := sys.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	b := make([]byte, 256)
	n, _ := f.Read(b) // an unreadable figure is an unknown one
	return strings.TrimSpace(string(b[:n]))
}

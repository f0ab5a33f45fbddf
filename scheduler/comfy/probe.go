package comfy

import (
	"context"
	"crypto/rand"
	"slices"
	"strconv"
	"strings"

	"reckoner/scheduler/job"
)

// capabilities are what a server of some version can do.
type capabilities struct {
	targetedInterrupt bool
	ownIDs            bool
	cancel            bool // POST /api/jobs/{id}/cancel
}

// Probe asks what the server is and what it can do: whether it is ComfyUI, its
// version and devices, and whether it uses our ids and interrupts only what it
// is told to. It finds out the routes' prefix anew, for a server that was
// replaced.
func (c *Client) Probe(ctx context.Context) (job.ServerInfo, error) {
	knocked, _, err := c.knock(ctx)
	if err != nil {
		return job.ServerInfo{}, err
	}
	info, err := c.stats(ctx)
	if err != nil {
		return job.ServerInfo{}, err
	}
	can, err := c.findOut(ctx, info.Version)
	if err != nil {
		return job.ServerInfo{}, err
	}
	info.OwnIDs, info.TargetedInterrupt = can.ownIDs, can.targetedInterrupt
	info.ClockOffset = knocked.offset
	return info, nil
}

// Stats reads the server's memory and devices with one request, once a Probe
// told what it can do.
func (c *Client) Stats(ctx context.Context) (job.ServerInfo, error) {
	info, err := c.stats(ctx)
	if err != nil {
		return job.ServerInfo{}, err
	}
	c.mu.Lock()
	can := c.can
	c.mu.Unlock()
	if can == nil {
		return c.Probe(ctx)
	}
	info.OwnIDs, info.TargetedInterrupt = can.ownIDs, can.targetedInterrupt
	return info, nil
}

func (c *Client) stats(ctx context.Context) (job.ServerInfo, error) {
	q := get("/system_stats", smallAnswer)
	raw, a, err := c.ask(ctx, q)
	if err != nil {
		return job.ServerInfo{}, err
	}
	info, code := decodeStats(raw)
	if code != "" {
		return job.ServerInfo{}, c.answered(code, q, a)
	}
	info.ClockOffset = a.offset
	return info, nil
}

// findOut learns what the server can do. The version is a lower bound and may
// be missing, so what can be asked without harm is asked (comfyui-protocol,
// 4.1).
func (c *Client) findOut(ctx context.Context, version string) (capabilities, error) {
	can := capabilities{
		ownIDs:            atLeast(version, 0, 3, 45),
		targetedInterrupt: atLeast(version, 0, 3, 57),
		cancel:            atLeast(version, 0, 26, 0),
	}
	if !can.targetedInterrupt {
		features, err := c.exists(ctx, get("/features", smallAnswer))
		if err != nil {
			return can, err
		}
		can.ownIDs = can.ownIDs || features
		if features {
			// An id that nobody has: nothing can be cancelled. Whoever has this
			// route (0.26) also honours the id in an interrupt (0.3.57).
			if can.cancel, err = c.exists(ctx, cancelCall(string(newID()))); err != nil {
				return can, err
			}
			can.targetedInterrupt = can.cancel
		}
	}
	c.mu.Lock()
	c.can = &can
	c.mu.Unlock()
	return can, nil
}

// exists tells whether a route answers with a JSON object.
func (c *Client) exists(ctx context.Context, q call) (bool, error) {
	raw, _, err := c.ask(ctx, q)
	if err != nil {
		switch job.CodeOf(err) {
		case job.ErrUnreachable, job.ErrBusy, job.ErrTLS:
			return false, err
		default: // any answer that is no yes is a no
			return false, nil
		}
	}
	_, ok := asObject(raw)
	return ok, nil
}

// capabilities gives what the server can do, finding it out when it is not
// known.
func (c *Client) capabilities(ctx context.Context) (capabilities, error) {
	c.mu.Lock()
	can := c.can
	c.mu.Unlock()
	if can != nil {
		return *can, nil
	}
	if _, err := c.Probe(ctx); err != nil {
		return capabilities{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.can == nil { // forgotten meanwhile: the least is assumed
		return capabilities{}, nil
	}
	return *c.can, nil
}

func newID() job.ID {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return job.UUIDFrom(b)
}

// maxDevices bounds a list that comes from outside.
const maxDevices = 64

// decodeStats gives what /system_stats says, or the code of what is wrong with
// it.
func decodeStats(raw []byte) (info job.ServerInfo, code string) {
	o, ok := asObject(raw)
	if !ok || o["system"] == nil {
		return job.ServerInfo{}, job.ErrNotComfy
	}
	system := o.object("system")
	if system["cloud_version"] != nil {
		return job.ServerInfo{}, job.ErrUnsupported
	}
	info = job.ServerInfo{
		Version:  clip(system.text("comfyui_version"), 60),
		Torch:    clip(system.text("pytorch_version"), 60),
		OS:       clip(system.text("os"), 60),
		RAMTotal: system.maybe("ram_total"),
		RAMFree:  system.maybe("ram_free"),
	}
	devices := o.list("devices")
	for _, d := range devices[:min(len(devices), maxDevices)] {
		device, ok := asObject(d)
		if !ok {
			continue
		}
		index := job.Maybe[int]{}
		if i, ok := device.int64("index"); ok {
			index = job.Known(int(i))
		}
		info.Devices = append(info.Devices, job.Device{
			Name: clip(device.text("name"), 200), Type: clip(device.text("type"), 60), Index: index,
			VRAMTotal: device.maybe("vram_total"), VRAMFree: device.maybe("vram_free"),
			TorchTotal: device.maybe("torch_vram_total"), TorchFree: device.maybe("torch_vram_free"),
		})
	}
	info.FillsCard = fillsCard(info, texts(system.list("argv")))
	return info, ""
}

// fillsCard tells whether a server fills the card on purpose: with dynamic VRAM,
// the default on NVIDIA's cards from 0.18 on (gpu-telemetry, 1.6 and 5).
func fillsCard(info job.ServerInfo, argv []string) bool {
	nvidia := slices.ContainsFunc(info.Devices, func(d job.Device) bool { return d.Type == "cuda" })
	return nvidia && atLeast(info.Version, 0, 18, 0) && !slices.Contains(argv, "--disable-dynamic-vram")
}

// maybe gives a size in bytes; negative ones stand for unknown.
func (o object) maybe(key string) job.Maybe[int64] {
	if n, ok := o.int64(key); ok && n >= 0 {
		return job.Known(n)
	}
	return job.Maybe[int64]{}
}

// atLeast tells whether a version is known to be the wanted one or later.
// "0.27.0" is later than "0.3.64". Letters, as in "v0.3.57" or "0.4.0rc1", are
// tolerated; what has no number is not known to be anything.
func atLeast(version string, want ...int) bool {
	version = strings.TrimPrefix(strings.TrimSpace(version), "v")
	parts := strings.Split(version, ".")
	for i, w := range want {
		if i >= len(parts) {
			return i > 0 && w == 0
		}
		digits := parts[i]
		if end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
			digits = digits[:end]
		}
		n, err := strconv.Atoi(digits)
		if err != nil {
			return false
		}
		if n != w {
			return n > w
		}
	}
	return true
}

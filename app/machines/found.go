package machines

import (
	"fmt"
	"strings"

	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// doAccept is the action of a certificate at an address that is typed, followed by
// its fingerprint.
const doAccept = "accept:"

// Found is what is at an address.
type Found struct {
	Address string // as it was asked for
	URL     string // as it will be written down; "" when it is no address
	Info    job.ServerInfo
	Err     *job.Error // why nothing is known; nil when Info is
	// It was not looked at when it is Behind ssh, or the address Opens it with a
	// password or a token: that begins once it is added.
	Behind, Opens bool
}

// Tested is what a source of readings gave.
type Tested struct {
	Source   string
	Readings []job.Reading
	Err      *job.Error
}

// Explain says what was found at an address: facts first, then what they mean for
// the jobs.
func Explain(f Found, known []scheduler.MachineView, w text.Language) []widgets.NoticeLine {
	if f.URL == "" {
		return []widgets.NoticeLine{{Tone: widgets.Bad, Text: "This is no address. It looks like http://gpu-1:8188."}}
	}
	for _, m := range known {
		for _, v := range m.Servers {
			if v.Server.URL == f.URL {
				return []widgets.NoticeLine{{Tone: widgets.Odd, Text: m.Machine.Name + " has this address already."}}
			}
		}
	}
	if f.Behind {
		return []widgets.NoticeLine{{Text: "A server behind ssh. " +
			"Reckoner reaches it with the ssh of this computer and your keys, " +
			"and looks at it once it is added."}}
	}
	if f.Opens {
		return []widgets.NoticeLine{{Text: "What opens it goes to the keyring; it is written down as " + f.URL +
			". It is looked at once it is added."}}
	}
	if f.Err != nil {
		what, next := w.FinalError(f.Err)
		lines := []widgets.NoticeLine{{Tone: widgets.Bad, Text: what}}
		if f.Err.Code == job.ErrTLS && f.Err.Args.Fingerprint != "" {
			lines[0].Action = widgets.Action{Key: doAccept + f.Err.Args.Fingerprint, Label: "Trust this certificate"}
		}
		if next != "" {
			lines = append(lines, widgets.NoticeLine{Text: next})
		}
		return append(lines, widgets.NoticeLine{Text: "It can be added all the same: jobs wait until it answers."})
	}
	version := "ComfyUI answers; it does not say its version"
	if f.Info.Version != "" {
		version = "ComfyUI " + f.Info.Version + " answers"
	}
	lines := []widgets.NoticeLine{{Tone: widgets.Mine, Text: version + " at " + f.URL + "."}}
	for _, d := range f.Info.Devices {
		lines = append(lines, widgets.NoticeLine{Tone: widgets.Mine, Text: device(d, w)})
	}
	if len(f.Info.Devices) == 0 {
		lines = append(lines, widgets.NoticeLine{Text: "It names no GPU."})
	}
	if !f.Info.TargetedInterrupt {
		lines = append(lines, widgets.NoticeLine{
			Tone: widgets.Odd,
			Text: "It cannot stop one job by its name (ComfyUI before 0.3.57): Reckoner looks right before it stops yours, " +
				"but another client's job can be hit. Updating ComfyUI removes that risk.",
		})
	}
	return lines
}

// device names a GPU as people know it, with its memory.
func device(d job.Device, w text.Language) string {
	name := d.Name
	if before, rest, ok := strings.Cut(name, " "); ok && strings.Contains(before, ":") {
		name = rest
	}
	name, _, _ = strings.Cut(name, " : ")
	name = strings.TrimSpace(name)
	if total, ok := d.VRAMTotal.Get(); ok {
		name += ", " + w.Bytes(total)
		if free, ok := d.VRAMFree.Get(); ok {
			name += ", " + w.Bytes(free) + " free"
		}
	}
	return name
}

// ExplainSource says what a source of readings gave.
func ExplainSource(t Tested, w text.Language) []widgets.NoticeLine {
	if t.Err != nil {
		what, next := w.Error(t.Err)
		lines := []widgets.NoticeLine{{Tone: widgets.Bad, Text: what}}
		if next != "" {
			lines = append(lines, widgets.NoticeLine{Text: next})
		}
		return lines
	}
	var lines []widgets.NoticeLine
	for _, r := range t.Readings {
		says := []string{r.GPU.Name}
		if says[0] == "" {
			says[0] = "A GPU that does not say its name"
		}
		add := func(known bool, s string) {
			if known {
				says = append(says, s)
			}
		}
		add(r.Util.Known(), fmt.Sprintf("%.0f %%", r.Util.Or(0)))
		power := fmt.Sprintf("%.0f W", r.Power.Or(0))
		if r.Limit.Known() {
			power += fmt.Sprintf(" of %.0f W", r.Limit.Or(0))
		}
		add(r.Power.Known(), power)
		add(r.MemUsed.Known(), w.Bytes(r.MemUsed.Or(0))+" of "+w.Bytes(r.MemTotal.Or(0)))
		missing := ""
		if !r.Util.Known() || !r.Power.Known() {
			missing = "; what it does not tell is shown as not known"
		}
		lines = append(lines, widgets.NoticeLine{Tone: widgets.Mine, Text: strings.Join(says, ", ") + missing + "."})
	}
	return lines
}

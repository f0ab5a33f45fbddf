package core

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"reckoner/scheduler/job"
)

const (
	ancestorsAtMost = 16
	usualPort       = 8188 // ComfyUI's
)

// owner is whose a program is.
type owner uint8

const (
	// harmless is a render server of the machine, what one started, or a desktop's.
	harmless owner = iota
	theirs         // surely none of those
	anybodys       // it could be a render server that was not found, or has no name
)

// whose tells whose a program is. A render server is known by the port on which it
// listens, as is what it started. While unfound ones are not known among the
// programs, anything that runs in Python could be one.
func (s *State) whose(m *machine, all job.Programs) (whose func(job.Process) owner, unfound int) {
	servers := map[int]bool{}
	for _, srv := range s.site(m.rec.ID).servers {
		pid, ok := all.Listeners[portOf(srv.rec.URL)]
		held := ok && slices.ContainsFunc(all.List, func(p job.Process) bool {
			return descends(p.PID, map[int]bool{pid: true}, all.Parents)
		})
		if held {
			servers[pid] = true
		} else {
			unfound++
		}
	}
	return func(p job.Process) owner {
		switch {
		case descends(p.PID, servers, all.Parents), isDesktop(p.Name):
			return harmless
		case p.Name == "", unfound > 0 && mayServe(p.Name):
			return anybodys
		}
		return theirs
	}, unfound
}

// descends tells whether a process is one of these or was started by one.
func descends(pid int, from map[int]bool, parents map[int]int) bool {
	for range ancestorsAtMost {
		if from[pid] {
			return true
		}
		parent, ok := parents[pid]
		if !ok || parent == pid {
			return false
		}
		pid = parent
	}
	return false
}

// portOf is the port on which a server listens on its own computer, as far as its
// address tells.
func portOf(address string) int {
	if rest, ok := strings.CutPrefix(address, "ssh:"); ok {
		_, at, _ := strings.Cut(strings.TrimPrefix(rest, "//"), "/")
		if port, err := strconv.Atoi(at[strings.LastIndexByte(at, ':')+1:]); err == nil {
			return port
		}
		return usualPort
	}
	u, err := url.Parse(address)
	if err != nil {
		return 0
	}
	if port, err := strconv.Atoi(u.Port()); err == nil {
		return port
	}
	if u.Scheme == "https" {
		return 443
	}
	return 80
}

// mayServe tells whether a program could be a render server, by its name.
func mayServe(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "python") || strings.Contains(name, "comfy") || strings.Contains(name, "docker")
}

// isDesktop tells whether a program draws a desktop: every one of them is on some
// GPU, and no job has to wait for it.
func isDesktop(name string) bool {
	name = strings.ToLower(job.ProgramName(name))
	name = strings.TrimSuffix(name, ".exe")
	return slices.Contains([]string{
		"xorg", "x", "xwayland", "gnome-shell", "mutter", "kwin", "kwin_x11", "kwin_wayland", "plasmashell", "sddm", "gdm",
		"cinnamon", "xfwm4", "picom", "compiz", "sway", "hyprland", "weston", "cosmic-comp", "budgie-wm", "muffin",
		"xdg-desktop-portal", "xdg-desktop-portal-gnome", "nautilus", "dolphin", "gnome-terminal-server",
		"firefox", "firefox-bin", "chrome", "chromium", "chromium-browser", "brave", "opera", "msedge", "msedgewebview2",
		"electron", "code", "slack", "discord", "steam", "steamwebhelper", "thunderbird", "soffice.bin",
		"dwm", "explorer", "csrss", "winlogon", "searchhost", "startmenuexperiencehost", "shellexperiencehost",
		"applicationframehost", "textinputhost", "systemsettings", "lockapp", "nvidia overlay", "nvidia share",
		"nvcontainer", "nvidia web helper", "nvsphelper64", "widgets", "reckoner",
	}, name) || strings.HasPrefix(name, "nvidia overlay")
}

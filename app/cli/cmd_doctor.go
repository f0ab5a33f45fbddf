package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/spf13/cobra"

	"reckoner/scheduler/job"
	"reckoner/store/secret"
)

// doctorWait bounds each thing that is looked at.
const doctorWait = 5 * time.Second

// finding is what was found about one thing.
type finding struct {
	thing string
	state findingState
	text  string
	next  string // what to do, "" when nothing is to be done
}

type findingState string

const (
	works    findingState = "ok"
	lacking  findingState = "--" // Reckoner works without it, with less
	broken   findingState = "!!" // Reckoner does not do its main work
	notKnown findingState = "??"
)

func (s *shell) doctorCommand() *cobra.Command {
	var servers, sources []string
	cmd := &cobra.Command{
		Use:   "doctor [--server URL] [--gpu [HOST=]SOURCE]",
		Short: "See what works here, and what looking at GPUs costs",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, release := s.untilSignal(cmd.Context())
			defer release()
			p, err := buildPark(servers, nil, sources)
			if err != nil {
				return usage(cmd, err)
			}
			return s.examine(ctx, p)
		},
	}
	cmd.Flags().StringArrayVar(&servers, "server", nil, "also look at the render server at `URL` (repeatable)")
	cmd.Flags().StringArrayVar(&sources, "gpu", nil, "also look at the GPUs of `[HOST=]SOURCE` (repeatable)")
	return cmd
}

// examine looks at everything and says what it found. Something broken is exit
// status 1.
func (s *shell) examine(ctx context.Context, p park) error {
	found := []finding{s.display()}
	found = append(found, s.openGL())
	found = append(found, s.desktop(ctx)...)
	found = append(found, ffmpeg())
	data, err := dataFolder(s.flags.data)
	if err != nil {
		return err
	}
	found = append(found, s.dataFinding(ctx, data))
	found = append(found, s.serverFindings(ctx, data, p)...)
	found = append(found, s.costFindings(ctx, data, p)...)
	bad := false
	for _, f := range found {
		bad = bad || f.state == broken
		fmt.Fprintf(s.env.Stdout, "[%s] %s: %s\n", f.state, f.thing, f.text)
		if f.next != "" {
			fmt.Fprintf(s.env.Stdout, "     %s\n", f.next)
		}
	}
	if bad {
		return &exitError{status: exitFailed}
	}
	return nil
}

// ffmpeg looks for what reads the first frame of a video.
func ffmpeg() finding {
	f := finding{thing: "ffmpeg", state: works}
	path, err := exec.LookPath("ffmpeg")
	if err != nil {
		f.state, f.text = lacking, "not found, so the window shows no first frame of videos"
		f.next = "Install ffmpeg to see them."
		return f
	}
	f.text = path
	return f
}

func (s *shell) display() finding {
	f := finding{thing: "display", state: works}
	switch {
	case s.env.Window == nil:
		f.state, f.text = lacking, "this build has no window"
		f.next = "`reckoner run` and the other commands work."
	case runtime.GOOS != "linux":
		f.text = "the system's"
	case s.env.Getenv("WAYLAND_DISPLAY") != "":
		f.text = "Wayland, " + s.env.Getenv("WAYLAND_DISPLAY")
	case s.env.Getenv("DISPLAY") != "":
		f.text = "X11, " + s.env.Getenv("DISPLAY")
	default:
		f.state, f.text = lacking, "none: DISPLAY and WAYLAND_DISPLAY are not set"
		f.next = "Without one there is no window; `reckoner run` and the other commands work."
	}
	return f
}

// openGL looks for the libraries that the window draws with. Whether they draw
// shows only in a window.
func (s *shell) openGL() finding {
	f := finding{thing: "OpenGL", state: works}
	if s.env.Window == nil || runtime.GOOS != "linux" {
		f.state, f.text = notKnown, "not looked at here"
		return f
	}
	for _, dir := range []string{"/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib"} {
		for _, pattern := range []string{"libGL.so.1", "*/libGL.so.1"} {
			if hits, err := filepath.Glob(filepath.Join(dir, pattern)); err == nil && len(hits) > 0 {
				f.text = hits[0] + " (whether it draws shows in the window)"
				return f
			}
		}
	}
	f.state, f.text = lacking, "libGL.so.1 was not found"
	f.next = "The window needs it. On Debian and Ubuntu: apt install libgl1"
	return f
}

// desktop asks the session bus for a tray host and for notifications.
func (s *shell) desktop(ctx context.Context) []finding {
	if runtime.GOOS != "linux" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, doctorWait)
	defer cancel()
	tray := finding{thing: "tray", state: lacking, text: "no session bus"}
	notify := finding{thing: "notifications", state: lacking, text: "no session bus"}
	tray.next = "Closing the window then ends Reckoner; runs go on on their servers."
	if s.env.Getenv("DBUS_SESSION_BUS_ADDRESS") == "" {
		return []finding{tray, notify}
	}
	bus, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	if err != nil {
		tray.text, notify.text = err.Error(), err.Error()
		return []finding{tray, notify}
	}
	defer bus.Close()
	if hasOwner(ctx, bus, "org.kde.StatusNotifierWatcher") {
		tray = finding{thing: "tray", state: works, text: "a tray host is there"}
	} else {
		tray.text = "no tray host on the session bus"
	}
	if hasOwner(ctx, bus, "org.freedesktop.Notifications") {
		notify = finding{thing: "notifications", state: works, text: "a notification service is there"}
	} else {
		notify.text = "no notification service runs (it may start when first used)"
	}
	return []finding{tray, notify}
}

func hasOwner(ctx context.Context, bus *dbus.Conn, name string) bool {
	var has bool
	err := bus.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, name).Store(&has)
	return err == nil && has
}

// dataFinding looks at the data folder without changing it.
func (s *shell) dataFinding(ctx context.Context, data string) finding {
	f := finding{thing: "data folder", state: works, text: data}
	if _, err := s.reach(ctx, data); err == nil {
		f.text += " (a Reckoner is running on it)"
		return f
	}
	info, err := os.Stat(data)
	switch {
	case errors.Is(err, os.ErrNotExist):
		f.text += " (not there yet; the first start makes it)"
		return f
	case err != nil || !info.IsDir():
		f.state, f.text, f.next = broken, data+" is no folder that can be used", "Use another one with --data DIR."
		return f
	}
	probe, err := os.CreateTemp(data, "doctor-*")
	if err != nil {
		f.state, f.text, f.next = broken, err.Error(), "Make it writable, or use another one with --data DIR."
		return f
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		f.state, f.text = broken, err.Error()
	}
	if free, ok := s.parts.host(job.NewClock(1), slog.New(slog.DiscardHandler)).Sample(ctx, data).DiskFree.Get(); ok {
		f.text += fmt.Sprintf(" (%s free)", gibibytes(job.Known(free)))
	}
	return f
}

// serverFindings looks at the saved servers, and at those that were named.
func (s *shell) serverFindings(ctx context.Context, data string, p park) []finding {
	servers := p.use
	if st, err := s.parts.readStore(data, slog.New(slog.DiscardHandler)); err == nil {
		if kept, err := st.Load(ctx); err == nil {
			servers = append(servers, kept.Servers...)
		}
		_ = st.Close() // only read
	}
	if len(servers) == 0 {
		return []finding{{
			thing: "render servers", state: lacking, text: "none saved",
			next: "Add one in the window, or name one: reckoner run --server URL FILE. Look at one here with --server URL.",
		}}
	}
	var found []finding
	var kept *secret.Store
	if s.parts.secrets != nil {
		kept = s.parts.secrets(data, slog.New(slog.DiscardHandler))
	}
	for _, srv := range servers {
		keys, err := p.keys.opening(srv, kept)
		if err != nil {
			found = append(found, finding{thing: "render server " + srv.URL, state: broken, text: err.Error()})
			continue
		}
		found = append(found, s.serverFinding(ctx, srv, keys))
	}
	return found
}

func (s *shell) serverFinding(ctx context.Context, srv job.Server, c credentials) finding {
	ctx, cancel := context.WithTimeout(ctx, doctorWait)
	defer cancel()
	f := finding{thing: "render server " + srv.URL, state: works}
	conn, err := s.parts.connect(srv, c, slog.New(slog.DiscardHandler))
	if err != nil {
		f.state, f.text = broken, s.encoder().failure(err)
		return f
	}
	defer letGo(conn)
	info, err := conn.Probe(ctx)
	if err != nil {
		f.state, f.text = broken, s.encoder().failure(err)
		return f
	}
	f.text = "ComfyUI"
	if info.Version != "" {
		f.text += " " + info.Version
	}
	var devices []string
	for _, d := range info.Devices {
		devices = append(devices, d.Name)
	}
	if len(devices) > 0 {
		f.text += ", " + strings.Join(devices, ", ")
	}
	if !info.TargetedInterrupt {
		f.next = "This version ignores which prompt an interrupt names; Reckoner makes sure that its own is running first."
	}
	return f
}

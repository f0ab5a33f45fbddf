package remote

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"reckoner/scheduler/job"
)

const (
	// readyWait is how long ssh may take to open the tunnel, through several
	// computers if the user's configuration says so.
	readyWait = 30 * time.Second
	// arriveWait is how long a connection waits for ssh's word on whether it
	// arrived; without one it counts as arrived.
	arriveWait = 5 * time.Second
	// dyingTime is how long ssh's pipes may stay open behind it.
	dyingTime = 2 * time.Second
	// maxDetail bounds what an error keeps of ssh's words.
	maxDetail = 500
)

// link is one running ssh that holds a tunnel open.
type link struct {
	at     Address
	port   int // on this computer's loopback
	log    *slog.Logger
	stderr *report

	leave   context.CancelFunc
	ready   chan struct{} // closed once connections can be made
	arrived chan arrival  // what ssh says of connections through it
	turn    chan struct{} // capacity 1: connections are opened one by one
	mute    bool          // it says nothing of connections; owned by who has the turn

	// The rest is written before ended is closed, and read after that.
	ended   chan struct{}
	err     *job.Error // why it ended
	wasUp   time.Time  // when it was ready; zero when it never was
	taken   bool       // another program took our port before ssh did
	foreign bool       // a forwarding of the user's own could not be set up
}

// arrival says whether a connection reached the server's port; why is ssh's
// reason when it did not.
type arrival struct {
	ok  bool
	why string
}

func newLink(at Address, port int, log *slog.Logger) *link {
	l := &link{
		at: at, port: port, log: log, ready: make(chan struct{}), ended: make(chan struct{}),
		arrived: make(chan arrival, 16), turn: make(chan struct{}, 1),
	}
	l.stderr = &report{heard: l.hear}
	return l
}

var (
	opened  = regexp.MustCompile(`^debug2: channel \d+: open confirm `)
	refused = regexp.MustCompile(`^channel \d+: open failed: (.*)`)
	noPort  = regexp.MustCompile(`cannot listen to port: (\d+)`)
)

// hear follows the tunnel in ssh's words. It is called by one goroutine.
func (l *link) hear(line string) {
	switch {
	case strings.HasPrefix(line, "debug1: Entering interactive session"):
		if l.wasUp.IsZero() && !l.taken {
			l.wasUp = time.Now()
			close(l.ready)
		}
	case opened.MatchString(line):
		l.tell(arrival{ok: true})
	default:
		if m := refused.FindStringSubmatch(line); m != nil {
			l.tell(arrival{why: m[1]})
		}
		if m := noPort.FindStringSubmatch(line); m != nil {
			if m[1] == strconv.Itoa(l.port) {
				l.taken = true
				l.leave()
			} else {
				l.foreign = true
			}
		}
	}
}

func (l *link) tell(a arrival) {
	select {
	case l.arrived <- a:
	default: // nobody listens to so many
	}
}

// run starts ssh and returns when it has ended, which ctx brings about. The
// system minds the thread that started ssh, so this one stays with it.
func (l *link) run(ctx context.Context, cmd *exec.Cmd) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.Stderr, cmd.WaitDelay = l.stderr, dyingTime
	cmd.Env = append(cmd.Environ(), "LC_ALL=C")
	withoutWindow(cmd)
	endWithUs(cmd)
	began := time.Now()
	late := time.AfterFunc(readyWait, func() {
		select {
		case <-l.ready:
		default:
			l.leave()
		}
	})
	defer late.Stop()
	err := cmd.Start()
	if err == nil {
		err = cmd.Wait()
	}
	l.err = l.why(ctx, err, time.Since(began))
	l.log.DebugContext(ctx, "ssh ended", "computer", l.at.Host, "error", l.err)
}

// why makes the error of ssh's end.
func (l *link) why(ctx context.Context, err error, took time.Duration) *job.Error {
	said := l.stderr.words()
	fault := FaultOf(said)
	args := job.Args{Value: l.at.String(), Detail: said}
	switch {
	case errors.Is(err, exec.ErrNotFound):
		args.Detail = "ssh is not installed on this computer"
		return job.Errorf(job.ErrUnreachable, args, nil)
	case fault == UnknownHost || fault == HostChanged:
		args.Fingerprint = l.stderr.fingerprint()
	case ctx.Err() != nil && l.wasUp.IsZero() && took >= readyWait:
		args.Detail = strings.TrimSpace(fmt.Sprintf("ssh timeout: no tunnel after %v\n%s", readyWait, said))
	case said == "" && err != nil:
		args.Detail = "ssh ended: " + err.Error()
	case said == "":
		args.Detail = "ssh ended by itself"
	}
	args.Detail = clip(args.Detail, maxDetail)
	return job.Errorf(fault.Code(), args, nil)
}

// open makes a connection through the tunnel, once it is ready, and waits for
// ssh's word that it arrived: without that a server that is not running would
// look like one that says nothing.
func (l *link) open(ctx context.Context) (net.Conn, error) {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	l.forgetArrivals()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(l.port)))
	if err != nil {
		return nil, fmt.Errorf("connect to ssh's port: %w", err)
	}
	if l.mute {
		return conn, nil
	}
	wait := time.NewTimer(arriveWait)
	defer wait.Stop()
	select {
	case a := <-l.arrived:
		if a.ok {
			return conn, nil
		}
		err = l.notThere(a.why)
	case <-wait.C:
		l.mute = true
		return conn, nil
	case <-l.ended:
		err = l.err
	case <-ctx.Done():
		err = ctx.Err()
	}
	_ = conn.Close() // the error says more
	return nil, err
}

func (l *link) forgetArrivals() {
	for {
		select {
		case <-l.arrived:
		default:
			return
		}
	}
}

// notThere says that ssh works and the server behind it does not.
func (l *link) notThere(why string) *job.Error {
	return job.Errorf(job.ErrUnreachable, job.Args{
		Value: l.at.String(), Detail: clip("to "+l.at.at+" as seen from there: "+why, maxDetail),
	}, nil)
}

// clip shortens a text from outside and makes it valid.
func clip(text string, most int) string {
	text = strings.ToValidUTF8(text, "?")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

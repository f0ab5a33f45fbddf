package gpu

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v3/net"
	"github.com/shirou/gopsutil/v3/process"
)

// kin is who is who on a computer: which process listens on a TCP port, and who
// started a process. A render server is known by its port, and what it starts
// belongs to it.
type kin struct {
	listeners map[int]int // process by port
	parents   map[int]int // process by process
}

// kin asks the computer of the GPUs. On another one that is ss and ps, which
// Windows does not have: nothing is known there.
func (s *smi) kin(ctx context.Context) (kin, error) {
	if s.through == nil {
		return localKin(ctx)
	}
	k := kin{listeners: map[int]int{}, parents: map[int]int{}}
	err := s.lines(ctx, "ss", []string{"-ltnp"}, func(line string) {
		if port, pid, ok := listenerRow(line); ok {
			k.listeners[port] = pid
		}
	})
	if err != nil {
		return kin{}, err
	}
	err = s.lines(ctx, "ps", []string{"-e", "-o", "pid=,ppid="}, func(line string) {
		if pid, parent, ok := parentRow(line); ok && len(k.parents) < maxProcesses {
			k.parents[pid] = parent
		}
	})
	return k, err
}

// maxProcesses bounds what is believed of a computer's list of processes.
const maxProcesses = 1 << 16

// lines runs a command that ends by itself.
func (s *smi) lines(ctx context.Context, tool string, args []string, each func(line string)) error {
	said := words{}
	return s.run(ctx, tool, args, handler{
		first: onceTime,
		line: func(line string) time.Duration {
			said.add(line)
			each(line)
			return onceTime
		},
		silent: func() time.Duration { return 0 },
		said:   said.String,
		found:  func() bool { return true },
	})
}

// listenerRow reads a row of `ss -ltnp`. Whose a socket is stands there only for
// those who may see it.
func listenerRow(line string) (port, pid int, ok bool) {
	cells := strings.Fields(line)
	if len(cells) < 6 || cells[0] != "LISTEN" {
		return 0, 0, false
	}
	at := strings.LastIndexByte(cells[3], ':')
	port, err := strconv.Atoi(cells[3][at+1:])
	if err != nil {
		return 0, 0, false
	}
	_, rest, found := strings.Cut(line, ",pid=")
	if !found {
		return 0, 0, false
	}
	digits, _, _ := strings.Cut(rest, ",")
	pid, err = strconv.Atoi(digits)
	return port, pid, err == nil && pid > 0
}

// parentRow reads a row of `ps -e -o pid=,ppid=`.
func parentRow(line string) (pid, parent int, ok bool) {
	cells := strings.Fields(line)
	if len(cells) != 2 {
		return 0, 0, false
	}
	pid, err := strconv.Atoi(cells[0])
	parent, err2 := strconv.Atoi(cells[1])
	return pid, parent, err == nil && err2 == nil && pid > 0
}

// localKin asks this computer.
func localKin(ctx context.Context) (kin, error) {
	k := kin{listeners: map[int]int{}, parents: map[int]int{}}
	connections, err := net.ConnectionsWithContext(ctx, "tcp")
	if err != nil {
		return kin{}, fmt.Errorf("list this computer's connections: %w", err)
	}
	for _, c := range connections {
		if c.Status == "LISTEN" && c.Pid > 0 {
			k.listeners[int(c.Laddr.Port)] = int(c.Pid)
		}
	}
	all, err := process.ProcessesWithContext(ctx)
	if err != nil {
		return kin{}, fmt.Errorf("list this computer's processes: %w", err)
	}
	for _, p := range all {
		if parent, err := p.PpidWithContext(ctx); err == nil {
			k.parents[int(p.Pid)] = int(parent)
		}
	}
	return k, nil
}

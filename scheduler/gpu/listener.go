package gpu

import (
	"context"
	"fmt"

	"github.com/shirou/gopsutil/v3/net"
	"github.com/shirou/gopsutil/v3/process"

	"reckoner/scheduler/job"
)

// Listener tells which process of this computer listens on a TCP port.
func (*Host) Listener(ctx context.Context, port int) (job.LocalProcess, bool, error) {
	name, pid, ok, err := LocalListener(ctx, port)
	return job.LocalProcess{PID: pid, Name: name}, ok, err
}

// LocalListener tells which process of this computer listens on a TCP port: the
// one behind a local render server. ok says that something listens; its pid is 0
// and its name empty where this user may not see whose it is.
func LocalListener(ctx context.Context, port int) (name string, pid int, ok bool, err error) {
	connections, err := net.ConnectionsWithContext(ctx, "tcp")
	if err != nil {
		return "", 0, false, fmt.Errorf("list this computer's connections: %w", err)
	}
	for _, c := range connections {
		if c.Status != "LISTEN" || int(c.Laddr.Port) != port {
			continue
		}
		ok = true
		if c.Pid != 0 {
			pid = int(c.Pid)
			break
		}
	}
	if pid == 0 {
		return "", 0, ok, nil
	}
	p, err := process.NewProcessWithContext(ctx, int32(pid))
	if err != nil {
		return "", pid, ok, fmt.Errorf("look at process %d: %w", pid, err)
	}
	name, err = p.NameWithContext(ctx)
	if err != nil {
		return "", pid, ok, fmt.Errorf("read the name of process %d: %w", pid, err)
	}
	return name, pid, ok, nil
}

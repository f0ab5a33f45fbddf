package scheduler

import (
	"context"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// localPeriod is between two looks, in real time, at which process is behind a
// port of this computer.
const localPeriod = 30 * time.Second

// localMeter reads this computer's own GPUs.
const localMeter = "nvidia-smi"

// watchLocal looks which processes are behind those of a machine's servers that
// have an address on this computer. When it is ComfyUI itself, and not the end
// of a tunnel, this computer's GPUs are the machine's, and are read unless the
// user named other sources.
func (e *Engine) watchLocal(m job.Machine, servers []job.Server) {
	if e.cfg.Host == nil {
		return
	}
	for _, srv := range servers {
		port, ok := localPort(srv.URL)
		if !ok {
			continue
		}
		e.hosts.once("process "+string(srv.ID), func(ctx context.Context) {
			e.watchProcess(ctx, srv.ID, port, func() {
				if len(m.Sources) == 0 && e.cfg.Meter != nil {
					e.hosts.once("meter "+string(m.ID)+" "+localMeter, func(ctx context.Context) {
						e.watchOwnGPUs(ctx, m.ID)
					})
				}
			})
		})
	}
}

// watchProcess tells the core which process listens on a port, and calls local
// once it is ComfyUI's.
func (e *Engine) watchProcess(ctx context.Context, server job.ID, port int, local func()) {
	for {
		found := job.Maybe[job.LocalProcess]{}
		p, ok, err := e.cfg.Host.Listener(ctx, port)
		switch {
		case err != nil:
			e.log.Debug("the process behind a port is not known", "port", port, "err", err)
		case ok:
			found = job.Known(p)
			if isComfy(p.Name) {
				local()
			}
		}
		e.inbox.push(item{event: core.ProcessSeen{Server: server, Process: found}})
		if !sleep(ctx, localPeriod) {
			return
		}
	}
}

// watchOwnGPUs reads this computer's GPUs, and gives up without a word where
// there is no tool for that: nobody asked for it.
func (e *Engine) watchOwnGPUs(ctx context.Context, machine job.ID) {
	meter, err := e.cfg.Meter(localMeter)
	if err != nil {
		return
	}
	watching, stop := context.WithCancel(ctx)
	var programs sync.WaitGroup
	if lister, ok := meter.(ProgramMeter); ok {
		programs.Go(func() { e.watchPrograms(watching, machine, localMeter, lister) })
	}
	err = meter.Stream(ctx, meterPeriod, func(readings []job.Reading) {
		e.inbox.push(item{event: core.ReadingsSeen{Machine: machine, Source: localMeter, Readings: readings}})
	})
	stop()
	programs.Wait()
	switch job.CodeOf(err) {
	case job.ErrNoTool, job.ErrNoDriver, job.ErrNoGPU:
		return
	}
	if err != nil && ctx.Err() == nil && sleep(ctx, meterAgain) {
		e.watchMeter(ctx, machine, localMeter)
	}
}

// localPort gives the port of a URL whose host is this computer.
func localPort(raw string) (int, bool) {
	u, err := url.Parse(raw)
	if err != nil {
		return 0, false
	}
	host := u.Hostname()
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return 0, false
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		port = 80
	}
	return port, true
}

// isComfy tells whether a process may be ComfyUI: it runs in Python, or is
// packed as a program of that name. An ssh that listens here is a tunnel, and
// what is behind it is elsewhere.
func isComfy(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "python") || strings.Contains(name, "comfy")
}

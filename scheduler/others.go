package scheduler

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"reckoner/scheduler/job"
	"reckoner/scheduler/remote"
)

// Bounds of looking for other render servers of a machine.
const (
	othersTime   = 3 * time.Second  // for each port
	othersBehind = 15 * time.Second // likewise, behind ssh: a tunnel is dug first
	othersAtOnce = 4
)

// UsualPorts are where render servers listen when nobody chose a port: ComfyUI's
// own, the next ones for a second and a third, and its desktop program's.
func UsualPorts() []int { return []int{8188, 8189, 8190, 8191, 8192, 8193, 8000} }

// LookForOthers asks the usual ports of a machine's hosts for render servers that
// are not among the machines yet, and gives the URLs of those that answer as one.
// Nothing does so by itself: it is for when the user asks. The error is a
// *job.Error.
func (e *Engine) LookForOthers(ctx context.Context, machine job.ID) ([]string, error) {
	i := slices.IndexFunc(e.Snapshot().Machines, func(m MachineView) bool { return m.Machine.ID == machine })
	if i < 0 {
		return nil, job.Errorf(job.ErrNotFound, job.Args{Detail: "no such machine"}, nil)
	}
	var ask []string
	for _, v := range e.Snapshot().Machines[i].Servers {
		for _, port := range UsualPorts() {
			address, ok := beside(v.Server.URL, port)
			if ok && !slices.Contains(ask, address) && !e.knows(address) {
				ask = append(ask, address)
			}
		}
	}
	answers := make([]bool, len(ask))
	places := make(chan struct{}, othersAtOnce)
	var all sync.WaitGroup
	for i, address := range ask {
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			limit := othersTime
			if remote.Is(address) {
				limit = othersBehind
			}
			ctx, cancel := context.WithTimeout(ctx, limit)
			defer cancel()
			_, err := e.Probe(ctx, address)
			answers[i] = err == nil
		})
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		err = fmt.Errorf("look for other servers: %w", err)
		return nil, job.Errorf(job.ErrBusy, job.Args{Detail: "it was given up"}, err)
	}
	var found []string
	for i, address := range ask {
		if answers[i] {
			found = append(found, address)
		}
	}
	return found, nil
}

// beside gives the address of a server at another port of the same computer.
func beside(address string, port int) (string, bool) {
	if remote.Is(address) {
		a, err := remote.ParseAddress(address)
		if err != nil {
			return "", false
		}
		b, err := remote.ParseAddress("ssh:" + a.Host.String() + "/" + strconv.Itoa(port))
		return b.String(), err == nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return "", false
	}
	return (&url.URL{Scheme: u.Scheme, Host: net.JoinHostPort(u.Hostname(), strconv.Itoa(port))}).String(), true
}

// knows tells whether a server of some machine is at an address, whatever it is
// called there.
func (e *Engine) knows(address string) bool {
	return slices.ContainsFunc(e.Snapshot().Machines, func(m MachineView) bool {
		return slices.ContainsFunc(m.Servers, func(v ServerView) bool { return samePlace(v.Server.URL, address) })
	})
}

// samePlace tells whether two addresses are the same port of the same computer.
func samePlace(a, b string) bool {
	place := func(address string) string {
		if remote.Is(address) {
			if at, err := remote.ParseAddress(address); err == nil {
				return at.String()
			}
			return address
		}
		u, err := url.Parse(address)
		if err != nil {
			return address
		}
		host, port := strings.ToLower(u.Hostname()), u.Port()
		if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
			host = "localhost"
		}
		if port == "" {
			port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
		}
		return net.JoinHostPort(host, port)
	}
	return place(a) == place(b)
}

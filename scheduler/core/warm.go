package core

import (
	"slices"

	"reckoner/scheduler/job"
)

// warmLookAt bounds how many free servers of one kind are looked at for one that
// has a job's models.
const warmLookAt = 64

// loads notes which models a server has loaded: those of the run that it began
// last. ComfyUI forgets the files of the workflow before.
func (srv *server) loads(models []string) { srv.loaded = models }

// forgets notes that it is not known what a server has loaded: other people's
// work was there, or it is another process.
func (srv *server) forgets() { srv.loaded = nil }

// coldS is how much longer a job is likely to take on a server, in seconds,
// because that has to load its models first; 0 where nothing says so.
func (srv *server) coldS(of job.Type, f job.Forecast) float64 {
	if f.ColdS <= 0 || len(of.Models) == 0 || srv.hasLoaded(of.Models) {
		return 0
	}
	return f.ColdS
}

func (srv *server) hasLoaded(models []string) bool {
	missing := func(m string) bool { return !slices.Contains(srv.loaded, m) }
	return len(srv.loaded) > 0 && !slices.ContainsFunc(models, missing)
}

// firstFor gives the server of a fleet that is best for a job: the one that is
// free first, or among those that are free now one that has its models.
func (f *fleet) firstFor(of job.Type, forecast job.Forecast) *server {
	first := f.servers.first()
	if first == nil {
		return nil
	}
	if first.at != freeNow || first.of.coldS(of, forecast) == 0 {
		return first.of
	}
	for _, spot := range f.servers.spots[:min(len(f.servers.spots), warmLookAt)] {
		if spot.at == freeNow && spot.of.hasLoaded(of.Models) {
			return spot.of
		}
	}
	return first.of
}

package app

import (
	"slices"

	"reckoner/app/machines"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// check has a render server run a tiny job: that it answers does not say that it
// works.
func (w *window) check(server job.ID, done func(machines.Checked)) {
	w.goes(func() {
		found, err := w.o.Farm.Check(w.ctx, server)
		w.do(func() {
			checked := machines.Checked{Found: found, Err: coded(err, job.ErrUnreachable)}
			if s := w.o.Farm.Snapshot(); s != nil {
				checked.At = s.At.Wall
			}
			done(checked)
		})
	})
}

// trustCertificate accepts a certificate for a render server, after asking. What
// is shown is what its owner has to name.
func (w *window) trustCertificate(server job.Server, fingerprint string) {
	before := ""
	if len(server.Pins) > 0 {
		before = "It is another one than you accepted before. That happens when the server was installed anew, " +
			"and also when somebody is in between. "
	}
	w.confirm("Trust the certificate of "+server.Name+"?", before+"Its fingerprint (SHA-256) is "+fingerprint+
		". Compare it with the one that the server's owner names. It is then accepted for "+server.URL+" only.",
		"Trust it", "Leave it", func() {
			m, servers := w.owner(server.ID)
			i := slices.IndexFunc(servers, func(s job.Server) bool { return s.ID == server.ID })
			if i < 0 {
				return // it was removed meanwhile
			}
			servers[i].Pins = []string{fingerprint}
			w.goes(func() {
				err := w.o.Farm.AddMachine(w.ctx, m, servers)
				w.do(func() {
					if err != nil {
						w.tell("The certificate was not accepted", w.sentence(err), nil)
					}
					w.bridge.Changed()
				})
			})
		})
}

// owner gives the machine of a server, with the records of all its servers.
func (w *window) owner(server job.ID) (job.Machine, []job.Server) {
	s := w.o.Farm.Snapshot()
	if s == nil {
		return job.Machine{}, nil
	}
	for _, m := range s.Machines {
		if slices.ContainsFunc(m.Servers, func(v scheduler.ServerView) bool { return v.Server.ID == server }) {
			return w.records(m.Machine.ID)
		}
	}
	return job.Machine{}, nil
}

// trustComputer makes a computer behind ssh known by its key, after asking.
func (w *window) trustComputer(address, fingerprint string) {
	if w.o.AcceptHostKey == nil {
		return
	}
	w.confirm("Trust this computer?", "The computer of "+address+" is not known to ssh yet. Its key is "+fingerprint+
		". Compare it with what the computer's owner names. It then goes into your own known_hosts file, "+
		"as ssh itself would put it.",
		"Trust it", "Leave it", func() {
			w.goes(func() {
				err := w.o.AcceptHostKey(w.ctx, address, fingerprint)
				w.do(func() {
					switch e := coded(err, job.ErrHostKey); {
					case err == nil:
						w.tell("The computer is known now", "It is asked again by itself.", nil)
					case e.Args.Fingerprint != "" && e.Args.Fingerprint != fingerprint:
						w.tell("The computer was not accepted", "It shows another key now: "+e.Args.Fingerprint+
							". Nothing was written down.", nil)
					default:
						w.tell("The computer was not accepted", w.sentence(err), nil)
					}
				})
			})
		})
}

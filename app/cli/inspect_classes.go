package cli

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"reckoner/scheduler/job"
	"reckoner/scheduler/jobfile"
)

// classOptions say where node classes come from: files, a server, or nowhere.
type classOptions struct {
	files  []string
	server string
}

// classSource is a render server that tells its node classes.
type classSource interface {
	Classes(ctx context.Context, need []string) (job.Classes, error)
}

// classes reads the node classes that workflows in the page's format are
// converted with, or gives nil when nothing says where they are.
func (s *shell) classes(ctx context.Context, o classOptions) (job.Classes, error) {
	switch {
	case o.server != "":
		return s.askClasses(ctx, o.server)
	case len(o.files) == 0:
		return nil, nil
	}
	var tables []job.Classes
	for _, path := range o.files {
		table, err := readClasses(path)
		if err != nil {
			return nil, &exitError{status: exitUsage, text: s.encoder().failure(err)}
		}
		tables = append(tables, table)
	}
	return jobfile.MergeClasses(tables...), nil
}

func readClasses(path string) (job.Classes, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, job.Errorf(job.ErrUnreadable, job.Args{File: path, Detail: err.Error()}, err)
	}
	defer f.Close()
	return jobfile.ReadClasses(f, path)
}

// askClasses asks a server.
func (s *shell) askClasses(ctx context.Context, address string) (job.Classes, error) {
	p, err := buildPark([]string{address}, nil, nil)
	if err != nil {
		return nil, &exitError{status: exitUsage, text: err.Error()}
	}
	keys, err := readKeyring("", s.env.Getenv("RECKONER_AUTH"))
	if err != nil {
		return nil, &exitError{status: exitUsage, text: err.Error()}
	}
	srv := p.use[0]
	conn, err := s.parts.connect(srv, keys.with(p.keys).forServer(srv.URL), slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", srv.URL, err)
	}
	source, ok := conn.(classSource)
	if !ok {
		return nil, fmt.Errorf("%s does not tell its node classes", srv.URL)
	}
	classes, err := source.Classes(ctx, nil)
	if err != nil {
		return nil, &exitError{status: exitUsage, text: s.encoder().failure(err)}
	}
	return classes, nil
}

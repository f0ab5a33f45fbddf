package remote

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"reckoner/scheduler/job"
)

// acceptWait bounds each question to ssh while a key is accepted.
const acceptWait = 30 * time.Second

// Accept makes a computer known to ssh by the key whose fingerprint the user
// was shown and has accepted, as job.ErrHostKey told it. The key goes into the
// user's own known_hosts, where ssh would have put it. When the computer shows
// another key by now nothing is written and the error has the code
// job.ErrHostKey with the other key's fingerprint. A computer that is known by
// another key already (job.ErrHostKeyChanged) cannot be accepted here.
func Accept(ctx context.Context, host Host, fingerprint string, o Options) error {
	o = o.filled()
	known, err := knownHosts(ctx, host, o)
	if err != nil {
		return fmt.Errorf("accept the key of %s: %w", host, err)
	}
	lines, said, err := learn(ctx, host, o)
	if err != nil {
		return fmt.Errorf("accept the key of %s: %w", host, err)
	}
	entry, other := "", ""
	for line := range strings.Lines(lines) {
		shown, ok := fingerprintOf(line)
		switch {
		case ok && strings.HasSuffix(fingerprint, shown):
			entry = strings.TrimSpace(line)
		case ok:
			other = shown
		}
	}
	if entry == "" {
		detail := said
		if other != "" {
			detail = "it shows another key now"
		}
		return job.Errorf(job.ErrHostKey, job.Args{
			Value: scheme + host.String(), Fingerprint: other, Detail: clip(detail, maxDetail),
		}, nil)
	}
	if err := appendLine(known, entry); err != nil {
		return fmt.Errorf("accept the key of %s: %w", host, err)
	}
	return nil
}

var errNoKnownHosts = errors.New("ssh names no file for keys of computers")

// knownHosts asks ssh for the file that it adds keys to.
func knownHosts(ctx context.Context, host Host, o Options) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, acceptWait)
	defer cancel()
	name, args := host.Command()
	cmd := o.Command(ctx, name, append([]string{"-G"}, args...)...)
	out := &bounded{}
	cmd.Stdout, cmd.WaitDelay = out, dyingTime
	withoutWindow(cmd)
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("ask ssh for its files: %w", err)
	}
	for line := range strings.Lines(out.String()) {
		if files, ok := strings.CutPrefix(strings.TrimSpace(line), "userknownhostsfile "); ok {
			if path, _, _ := strings.Cut(files, " "); filepath.IsAbs(path) {
				return path, nil
			}
		}
	}
	return "", errNoKnownHosts
}

// learn lets ssh write the key that the host shows into a file of its own, and
// gives that file's content. Whether the login then works does not matter.
func learn(ctx context.Context, host Host, o Options) (content, said string, err error) {
	ctx, cancel := context.WithTimeout(ctx, acceptWait)
	defer cancel()
	dir, err := os.MkdirTemp("", "reckoner-ssh-")
	if err != nil {
		return "", "", fmt.Errorf("make a folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, "known_hosts")
	name, args := host.Command("exit")
	args = append([]string{
		"-o", "StrictHostKeyChecking=accept-new", "-o", "UpdateHostKeys=no",
		"-o", `UserKnownHostsFile="` + file + `"`, "-o", `GlobalKnownHostsFile="` + file + `"`,
	}, args...)
	cmd := o.Command(ctx, name, args...)
	stderr := &report{}
	cmd.Stderr, cmd.WaitDelay = stderr, dyingTime
	cmd.Env = append(cmd.Environ(), "LC_ALL=C")
	withoutWindow(cmd)
	runErr := cmd.Run()
	keys, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		if said = stderr.words(); said == "" && runErr != nil {
			said = runErr.Error()
		}
		return "", said, nil
	}
	return string(keys), stderr.words(), err
}

// fingerprintOf gives the SHA-256 of a line of a known_hosts file, as ssh writes
// it.
func fingerprintOf(line string) (string, bool) {
	fields := strings.Fields(line)
	if len(fields) < 3 || strings.HasPrefix(fields[0], "#") || strings.HasPrefix(fields[0], "@") {
		return "", false
	}
	key, err := base64.StdEncoding.DecodeString(fields[2])
	if err != nil {
		return "", false
	}
	sum := sha256.Sum256(key)
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:]), true
}

// appendLine adds a line to a file of the user's, on a line of its own.
func appendLine(path, line string) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if len(old) > 0 && !bytes.HasSuffix(old, []byte("\n")) {
		line = "\n" + line
	}
	_, err = f.WriteString(line + "\n")
	return err
}

// bounded keeps the first maxAnswer bytes that are written to it.
type bounded struct{ kept strings.Builder }

const maxAnswer = 256 << 10

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	b.kept.Write(p[:min(len(p), maxAnswer-b.kept.Len())])
	return len(p), nil
}

// String gives what was kept.
func (b *bounded) String() string { return b.kept.String() }

package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"

	"reckoner/scheduler/comfy"
	"reckoner/scheduler/job"
	"reckoner/scheduler/remote"
	"reckoner/store/secret"
)

// maxAuthFile bounds an --auth-file.
const maxAuthFile = 1 << 20

// credentials are what a server's access needs: what opens it, and the
// certificates that the user accepted for it. They never reach a record, a log
// or a JSON line, and say so when printed.
type credentials struct {
	secret.Secret
	pins []string // SHA-256 fingerprints
	// late gives what opens a saved server, where it is kept; nil when all is in
	// Secret.
	late func(context.Context) (secret.Secret, error)
}

// none tells whether there is nothing in it.
func (c credentials) none() bool { return c.Empty() && len(c.pins) == 0 }

// keyring are credentials by a server's bare URL; "" holds those for every
// server that has none of its own.
type keyring map[string]credentials

func (k keyring) forServer(bareURL string) credentials {
	if c, ok := k[bareURL]; ok {
		return c
	}
	return k[""]
}

// named tells whether there are credentials for this very server.
func (k keyring) named(bareURL string) bool {
	_, ok := k[bareURL]
	return ok
}

// opening gives a server's credentials: those of the command line for it, else
// what is kept of it, else those for every server.
func (k keyring) opening(s job.Server, kept *secret.Store) (credentials, error) {
	if k.named(s.URL) || kept == nil {
		return k.forServer(s.URL), nil
	}
	place, err := kept.Place(s.ID)
	if err != nil {
		return credentials{}, err
	}
	if place == secret.Nowhere {
		return k.forServer(s.URL), nil
	}
	// A keyring that is locked must not keep anything waiting but this server.
	return credentials{late: func(ctx context.Context) (secret.Secret, error) { return kept.Get(ctx, s.ID) }}, nil
}

// with gives the keyring with others added, which win.
func (k keyring) with(others keyring) keyring {
	sum := maps.Clone(k)
	maps.Copy(sum, others)
	return sum
}

// readKeyring reads RECKONER_AUTH and then an --auth-file, whose lines win. A
// line is "URL SECRET", or "SECRET" alone for every server that has no line of
// its own. A SECRET with a colon is user:password, one without is a token. Also
// "URL header NAME: VALUE", as often as needed, and "URL cert FINGERPRINT", which
// accepts a certificate by its SHA-256. Lines of one URL add up. Empty lines and
// those that begin with # are skipped.
func readKeyring(file, env string) (keyring, error) {
	k := keyring{}
	if err := k.read(strings.NewReader(env)); err != nil {
		return nil, fmt.Errorf("RECKONER_AUTH: %w", err)
	}
	if file == "" {
		return k, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read --auth-file: %w", err)
	}
	defer f.Close()
	if err := k.read(io.LimitReader(f, maxAuthFile)); err != nil {
		return nil, fmt.Errorf("--auth-file %s: %w", file, err)
	}
	return k, nil
}

func (k keyring) read(r io.Reader) error {
	lines := bufio.NewScanner(r)
	fresh := keyring{}
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := fresh.readLine(line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	maps.Copy(k, fresh)
	return lines.Err()
}

var errAuthLine = errors.New("say a URL and user:password, a token, header NAME: VALUE or cert FINGERPRINT")

// readLine adds a line. Its errors never repeat it.
func (k keyring) readLine(line string) error {
	bare := ""
	fields := strings.Fields(line)
	if len(fields) > 1 && fields[0] != "header" && fields[0] != "cert" {
		var err error
		if bare, _, err = splitServerURL(fields[0]); err != nil {
			return err
		}
		line = strings.TrimSpace(line[len(fields[0]):])
		fields = fields[1:]
	}
	c := k[bare]
	switch {
	case len(fields) > 1 && fields[0] == "header":
		name, value, ok := strings.Cut(strings.TrimSpace(line[len("header"):]), ":")
		if !ok || name == "" || strings.ContainsAny(name, " \t") {
			return errAuthLine
		}
		c.Secret = c.Clone()
		if c.Header == nil {
			c.Header = map[string][]string{}
		}
		c.Header[name] = append(c.Header[name], strings.TrimSpace(value))
	case len(fields) > 1 && fields[0] == "cert":
		pin, err := comfy.Fingerprint(strings.TrimSpace(line[len("cert"):]))
		if err != nil {
			return err
		}
		c.pins = append(slices.Clone(c.pins), pin)
	case len(fields) == 1:
		c = c.with(fields[0])
	default:
		return errAuthLine
	}
	k[bare] = c
	return nil
}

// with gives the credentials with what opens a server besides: user:password, or a
// token, which has no colon. Nothing changes for "".
func (c credentials) with(key string) credentials {
	switch user, password, named := strings.Cut(key, ":"); {
	case key == "":
	case named:
		c.User, c.Password = user, password
	default:
		c.Token = key
	}
	return c
}

// splitServerURL takes a server's address apart: the bare URL, with a scheme
// and without a slash at the end, and the credentials that were written into
// it. Errors never show the address: it may hold a password.
func splitServerURL(address string) (string, credentials, error) {
	if remote.Is(address) {
		a, err := remote.ParseAddress(address)
		return a.String(), credentials{}, err
	}
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Hostname() == "" {
		return "", credentials{}, fmt.Errorf("a server is given as http://HOST:PORT, with a path where it has one")
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return "", credentials{}, fmt.Errorf("a server's address begins with http:// or https://, not %s://", u.Scheme)
	}
	var c credentials
	if u.User != nil {
		c.User = u.User.Username()
		c.Password, _ = u.User.Password()
	}
	c.Query = u.RawQuery
	bare := url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host), Path: strings.TrimRight(u.Path, "/")}
	return bare.String(), c, nil
}

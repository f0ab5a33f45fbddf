package cli

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"strings"
)

// maxAuthFile bounds an --auth-file.
const maxAuthFile = 1 << 20

// credentials are what a server's access needs. They never reach a record, a
// log or a JSON line, and say so when printed.
type credentials struct {
	user, password string
	token          string // sent as a bearer token
	query          string // of the address, as it was written
}

// String keeps secrets out of messages.
func (c credentials) String() string {
	if c == (credentials{}) {
		return "none"
	}
	return "hidden"
}

// GoString keeps secrets out of %#v.
func (c credentials) GoString() string { return c.String() }

// keyring are credentials by a server's bare URL; "" holds those for every
// server that has none of its own.
type keyring map[string]credentials

func (k keyring) forServer(bareURL string) credentials {
	if c, ok := k[bareURL]; ok {
		return c
	}
	return k[""]
}

// with gives the keyring with others added, which win.
func (k keyring) with(others keyring) keyring {
	sum := maps.Clone(k)
	maps.Copy(sum, others)
	return sum
}

// readKeyring reads RECKONER_AUTH and then an --auth-file, whose lines win. A
// line is "URL SECRET", or "SECRET" alone for every server; a SECRET with a
// colon is user:password, one without is a token. Empty lines and those that
// begin with # are skipped.
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
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		switch {
		case len(fields) == 0 || strings.HasPrefix(fields[0], "#"):
		case len(fields) == 1:
			k[""] = parseSecret(fields[0])
		case len(fields) == 2:
			bare, _, err := splitServerURL(fields[0])
			if err != nil {
				return fmt.Errorf("line %d: %w", n, err)
			}
			k[bare] = parseSecret(fields[1])
		default:
			return fmt.Errorf("line %d has more than a URL and user:password or a token", n)
		}
	}
	return lines.Err()
}

func parseSecret(s string) credentials {
	if user, password, ok := strings.Cut(s, ":"); ok {
		return credentials{user: user, password: password}
	}
	return credentials{token: s}
}

// splitServerURL takes a server's address apart: the bare URL, with a scheme
// and without a slash at the end, and the credentials that were written into
// it. Errors never show the address: it may hold a password.
func splitServerURL(address string) (string, credentials, error) {
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
		c.user = u.User.Username()
		c.password, _ = u.User.Password()
	}
	c.query = u.RawQuery
	bare := url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host), Path: strings.TrimRight(u.Path, "/")}
	return bare.String(), c, nil
}

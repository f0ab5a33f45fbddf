package secret

import (
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"
)

// Secret is what opens a render server. It says nothing of itself when it is
// printed, logged or made JSON of.
type Secret struct {
	User, Password string              // HTTP basic
	Token          string              // sent as a bearer token
	Query          string              // of the address, as it was written: "token=..."
	Header         map[string][]string // further headers by name
}

// Empty tells whether there is nothing in it.
func (s Secret) Empty() bool {
	return s.User == "" && s.Password == "" && s.Token == "" && s.Query == "" && len(s.Header) == 0
}

// Clone gives a copy that shares nothing.
func (s Secret) Clone() Secret {
	s.Header = maps.Clone(s.Header)
	for name, values := range s.Header {
		s.Header[name] = slices.Clone(values)
	}
	return s
}

// String implements fmt.Stringer.
func (s Secret) String() string {
	if s.Empty() {
		return "none"
	}
	return "hidden"
}

// GoString implements fmt.GoStringer.
func (s Secret) GoString() string { return s.String() }

// LogValue implements slog.LogValuer.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

var errNoJSON = errors.New("a secret is not made JSON of")

// MarshalJSON always fails: what is JSON goes to records, lines and sockets.
func (s Secret) MarshalJSON() ([]byte, error) { return nil, errNoJSON }

// kept is a Secret as the keyring and the file have it.
type kept struct {
	User     string              `json:"user,omitempty"`
	Password string              `json:"password,omitempty"`
	Token    string              `json:"token,omitempty"`
	Query    string              `json:"query,omitempty"`
	Header   map[string][]string `json:"header,omitempty"`
}

func encode(s Secret) ([]byte, error) {
	return json.Marshal(kept(s)) //nolint:gosec // this is the one place that keeps it
}

var errNotKept = errors.New("it is not in the form in which Reckoner keeps it")

func decode(raw []byte) (Secret, error) {
	var k kept
	if err := json.Unmarshal(raw, &k); err != nil {
		return Secret{}, errNotKept // json's own words may quote it
	}
	return Secret(k), nil
}

package cli

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reckoner/scheduler/job"
	"reckoner/store/secret"
)

// noRing is a computer without a keyring.
type noRing struct{ secret.Keyring }

func (noRing) Available() bool { return false }

// Given an address with a password that was typed for a saved server, then its
// record has the bare URL, and the connection of a later start opens with what
// was kept.
func TestASavedServerOpensWithWhatWasKept(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if user != "me" || password != "sesame" || r.URL.Query().Get("token") != "tok-en" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(`{"exec_info":{"queue_remaining":0},"queue_running":[],"queue_pending":[]}`))
	}))
	defer s.Close()
	dir := t.TempDir()
	kept := secret.Open(dir, secret.Options{Keyring: noRing{}})
	address := strings.Replace(s.URL, "http://", "http://me:sesame@", 1) + "/?token=tok-en"
	got, err := enterer(kept)(t.Context(), "a-server", address, "")
	if err != nil || got.URL != s.URL || got.Place != "file" {
		t.Fatalf("%+v, %v", got, err)
	}
	record := job.Server{ID: "a-server", URL: got.URL}
	for _, c := range []struct {
		name string
		keys keyring
		srv  job.Server
		want bool
	}{
		{"kept", keyring{}, record, true},
		{"kept, and others for every server", keyring{"": {Secret: secret.Secret{Token: "x"}}}, record, true},
		{"the command line wins", keyring{s.URL: {Secret: secret.Secret{Token: "x"}}}, record, false},
		{"another server", keyring{}, job.Server{ID: "other", URL: s.URL}, false},
	} {
		creds, err := c.keys.opening(c.srv, secret.Open(dir, secret.Options{Keyring: noRing{}}))
		if err != nil {
			t.Fatal(err)
		}
		conn, err := connectComfy(c.srv, creds, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Queue(t.Context()); (err == nil) != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
		letGo(conn)
	}
	if raw, err := os.ReadFile(filepath.Join(dir, "secrets.json")); err != nil || !strings.Contains(string(raw), "sesame") {
		t.Errorf("it was kept elsewhere: %v", err)
	}
	for _, bad := range []string{"ftp://u:sesame@h", "http://u:sesame@h o/"} {
		if _, err := enterer(kept)(t.Context(), "a-server", bad, ""); err == nil || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// Given a token or a name and a password that were typed beside the address, then
// they are kept as what they are.
func TestWhatIsTypedBesideTheAddressOpensTheServer(t *testing.T) {
	kept := secret.Open(t.TempDir(), secret.Options{Keyring: noRing{}})
	for key, want := range map[string]secret.Secret{
		"tok-en":       {Token: "tok-en"},
		"me:se:sa:me":  {User: "me", Password: "se:sa:me"},
		"":             {User: "me", Password: "in-the-address"},
		"other:better": {User: "other", Password: "better"},
	} {
		address := "http://gpu-1:8188/"
		if want.User != "" && key != "me:se:sa:me" {
			address = "http://me:in-the-address@gpu-1:8188/"
		}
		got, err := enterer(kept)(t.Context(), "a-server", address, key)
		if err != nil || got.URL != "http://gpu-1:8188" {
			t.Fatalf("%q: %+v, %v", key, got, err)
		}
		opens, err := kept.Get(t.Context(), "a-server")
		if err != nil || opens.Token != want.Token || opens.User != want.User || opens.Password != want.Password {
			t.Errorf("%q opens with user %q", key, opens.User)
		}
	}
}

package secret

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"reckoner/scheduler/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ring is a keyring in memory.
type ring struct {
	absent bool
	err    error
	held   chan struct{} // not nil: questions wait for it
	kept   map[string]string
	asked  atomic.Int32
}

func (r *ring) Available() bool { return !r.absent }

func (r *ring) ask() error {
	r.asked.Add(1)
	if r.held != nil {
		<-r.held
	}
	return r.err
}

func (r *ring) Set(server, secret string) error {
	if err := r.ask(); err != nil {
		return err
	}
	r.kept[server] = secret
	return nil
}

func (r *ring) Get(server string) (string, error) {
	if err := r.ask(); err != nil {
		return "", err
	}
	if s, ok := r.kept[server]; ok {
		return s, nil
	}
	return "", ErrNotFound
}

func (r *ring) Delete(server string) error {
	if err := r.ask(); err != nil {
		return err
	}
	delete(r.kept, server)
	return nil
}

func newRing() *ring { return &ring{kept: map[string]string{}} }

var opensIt = Secret{
	User: "me", Password: "sesame", Token: "tok-en", Query: "key=que-ry",
	Header: map[string][]string{"X-Api-Key": {"hidden-key"}},
}

const server job.ID = "gpu-1"

// holds tells whether any part of opensIt is in a text.
func holds(text string) bool {
	for _, part := range []string{"sesame", "tok-en", "que-ry", "hidden-key"} {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

func fileOf(t *testing.T, dir string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, "secrets.json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// Given a keyring, then a secret lies there and nowhere else, also for a later
// start.
func TestASecretLiesInTheKeyring(t *testing.T) {
	dir, r := t.TempDir(), newRing()
	place, err := Open(dir, Options{Keyring: r}).Put(t.Context(), server, opensIt)
	if err != nil || place != InKeyring {
		t.Fatal(place, err)
	}
	if holds(fileOf(t, dir)) {
		t.Error("it is in the file too")
	}
	s := Open(dir, Options{Keyring: r})
	got, err := s.Get(t.Context(), server)
	if err != nil || got.Password != "sesame" || got.Header["X-Api-Key"][0] != "hidden-key" || got.Query != "key=que-ry" {
		t.Errorf("%#v, %v", got, err)
	}
	if err := s.Delete(t.Context(), server); err != nil || len(r.kept) != 0 {
		t.Errorf("%v, %d are left", err, len(r.kept))
	}
	if got, err := s.Get(t.Context(), server); err != nil || !got.Empty() {
		t.Errorf("%v, %v", got, err)
	}
}

// Given no keyring, then a secret lies in a file for the user alone, and it is
// said.
func TestWithoutAKeyringASecretLiesInAFileForTheUserAlone(t *testing.T) {
	dir, r := t.TempDir(), newRing()
	r.absent = true
	s := Open(dir, Options{Keyring: r})
	if place, err := s.Put(t.Context(), server, opensIt); err != nil || place != InFile {
		t.Fatal(place, err)
	}
	if _, err := s.Put(t.Context(), "gpu-2", Secret{Token: "other"}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "secrets.json"))
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file is open to others: %v", info.Mode())
	}
	if got, err := s.Get(t.Context(), server); err != nil || got.Token != "tok-en" {
		t.Errorf("%v, %v", got, err)
	}
	if place, err := s.Put(t.Context(), server, Secret{}); err != nil || place != Nowhere || holds(fileOf(t, dir)) {
		t.Errorf("an empty one leaves it in place: %v, %v", place, err)
	}
	if got, err := s.Get(t.Context(), "gpu-2"); err != nil || got.Token != "other" {
		t.Errorf("the other server lost its own: %v, %v", got, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".secrets-*")); err != nil || len(left) != 0 || r.asked.Load() != 0 {
		t.Errorf("left %v, %v; the keyring was asked %d times", left, err, r.asked.Load())
	}
}

func TestAServerWithoutSecretsAsksNobody(t *testing.T) {
	r := newRing()
	s := Open(t.TempDir(), Options{Keyring: r})
	if got, err := s.Get(t.Context(), server); err != nil || !got.Empty() {
		t.Errorf("%v, %v", got, err)
	}
	if err := s.Delete(t.Context(), server); err != nil || r.asked.Load() != 0 {
		t.Errorf("%v after %d questions", err, r.asked.Load())
	}
}

func TestAKeyringThatRefusesIsAnErrorAndNoReasonForTheFile(t *testing.T) {
	dir, r := t.TempDir(), newRing()
	r.err = errors.New("dismissed")
	s := Open(dir, Options{Keyring: r})
	if place, err := s.Put(t.Context(), server, opensIt); !errors.Is(err, r.err) || place != Nowhere {
		t.Errorf("%v, %v", place, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "secrets.json")); !os.IsNotExist(err) {
		t.Errorf("a file was written: %v", err)
	}
	r.err = nil
	if _, err := s.Put(t.Context(), server, opensIt); err != nil {
		t.Fatal(err)
	}
	clear(r.kept)
	if _, err := s.Get(t.Context(), server); !errors.Is(err, ErrGone) {
		t.Errorf("what was removed outside: %v", err)
	}
	r.absent = true
	if _, err := s.Get(t.Context(), server); !errors.Is(err, ErrLocked) {
		t.Errorf("a keyring that is gone: %v", err)
	}
}

// Given a locked keyring, then whoever asks it gives up in the end, and does not
// stand in the way of the file.
func TestALockedKeyringIsNotWaitedForForEver(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r := newRing()
		s := Open(dir, Options{Keyring: r})
		if _, err := s.Put(t.Context(), server, opensIt); err != nil {
			t.Fatal(err)
		}
		r.held = make(chan struct{})
		began := time.Now()
		if _, err := s.Get(t.Context(), server); !errors.Is(err, ErrLocked) || time.Since(began) != keyringWait {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Get(ctx, server); !errors.Is(err, ErrLocked) || r.asked.Load() != 2 {
			t.Errorf("%v; asked %d times", err, r.asked.Load())
		}
		if got, err := s.Get(t.Context(), "another"); err != nil || !got.Empty() {
			t.Errorf("%v, %v", got, err)
		}
		close(r.held)
		if got, err := s.Get(t.Context(), server); err != nil || got.Password != "sesame" {
			t.Errorf("unlocked: %v, %v", got, err)
		}
	})
}

func TestASecretSaysNothingOfItself(t *testing.T) {
	var logged bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&logged, nil))
	log.Info("opened", "secret", opensIt, "in", map[string]any{"s": opensIt})
	text := fmt.Sprintf("%v %+v %#v %s %q %v", opensIt, opensIt, opensIt, opensIt, opensIt, []Secret{opensIt})
	if raw, err := json.Marshal(map[string]Secret{"s": opensIt}); err == nil {
		t.Errorf("it is JSON: %s", raw)
	}
	if text += logged.String(); holds(text) {
		t.Errorf("it says %s", text)
	}
	if Secret.String(Secret{}) != "none" {
		t.Error("an empty one hides something")
	}
}

func TestADamagedFileIsNotQuotedAndNotOverwritten(t *testing.T) {
	for _, content := range []string{
		`{"version":1,"servers":{"gpu-1":{"place":"file","secret":"sesame"`,
		`{"version":2,"servers":{"gpu-1":{"place":"file","secret":{"password":"sesame"}}}}`,
		`{"version":1,"servers":{"gpu-1":{"place":"file","secret":["sesame"]}}}`,
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "secrets.json")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		r := newRing()
		r.absent = true
		s := Open(dir, Options{Keyring: r})
		if _, err := s.Get(t.Context(), server); err == nil || holds(err.Error()) {
			t.Errorf("%s: %v", content, err)
		}
		_, err := s.Put(t.Context(), "another", opensIt)
		if got := fileOf(t, dir); !strings.Contains(got, "sesame") || err != nil && got != content {
			t.Errorf("%s became %s, %v", content, got, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"user":"me","header":{"X":["y"]}}`))
	f.Add([]byte(`{"password":5}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := decode(raw)
		if err != nil {
			return
		}
		again, err := encode(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decode(again); err != nil {
			t.Errorf("%s is not read back: %v", again, err)
		}
	})
}

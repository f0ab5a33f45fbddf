package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"reckoner/scheduler/job"
)

// filled makes a folder with a few dozen jobs and gives its database's path.
func filled(t *testing.T) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	s := mustOpen(t, dir)
	var c job.Changes
	for n := range 60 {
		j := endedJob(n, day.Add(time.Duration(n)*time.Minute))
		c.Jobs, c.Runs = append(c.Jobs, j), append(c.Runs, endedRun(j, 1, j.Ended, 7))
	}
	if _, err := s.PutBlob(t.Context(), []byte("a workflow")); err != nil {
		t.Fatal(err)
	}
	mustSave(t, s, c)
	mustClose(t, s)
	return dir, filepath.Join(dir, fileDB)
}

func TestADamagedDatabaseIsSetAsideAndTold(t *testing.T) {
	page := os.Getpagesize()
	for name, damage := range map[string]func([]byte) []byte{
		"cut off in the middle":   func(b []byte) []byte { return b[:len(b)/2] },
		"cut off after its metas": func(b []byte) []byte { return b[:2*page] },
		"nothing left of it":      func([]byte) []byte { return nil },
		"one byte":                func([]byte) []byte { return []byte{1} },
		"another kind of file":    func([]byte) []byte { return bytes.Repeat([]byte("not a database "), 5000) },
		"zeros":                   func(b []byte) []byte { return make([]byte, len(b)) },
		"both metas overwritten":  func(b []byte) []byte { return append(make([]byte, 2*page), b[2*page:]...) },
		"pages overwritten": func(b []byte) []byte {
			return append(b[:2*page:2*page], bytes.Repeat([]byte{0xff}, len(b)-2*page)...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, path := filled(t)
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			bad := damage(whole)
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := OpenReadOnly(dir, nil); job.CodeOf(err) != job.ErrDamaged {
				t.Errorf("read-only: %v, want %s", err, job.ErrDamaged)
			}

			s := mustOpen(t, dir)
			o := s.Opened()
			if o.SetAside == "" || o.Why == nil || o.Why.Code != job.ErrDamaged {
				t.Fatalf("told: %+v", o)
			}
			if kept, err := os.ReadFile(o.SetAside); err != nil || !bytes.Equal(kept, bad) {
				t.Errorf("set aside: %d bytes, %v, want the %d as they were", len(kept), err, len(bad))
			}
			if kept := mustLoad(t, s); len(kept.Jobs) != 0 || kept.App == "" {
				t.Errorf("the fresh database: %+v", kept)
			}
			mustSave(t, s, job.Changes{Jobs: []*job.Job{waitingJob(1)}})
		})
	}
}

// A large database is not read from end to end, but one that the start cannot
// read must not keep Reckoner from starting for ever.
func TestALargeDatabaseWhoseQueueIsDamagedIsSetAside(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir)
	s.db.NoSync = true
	var c job.Changes
	for n := range 5000 {
		j := endedJob(n, day.Add(time.Duration(n)*time.Minute))
		j.Name = strings.Repeat("long name ", 200)
		c.Jobs = append(c.Jobs, j)
	}
	mustSave(t, s, c)
	queued := waitingJob(9000)
	mustSave(t, s, job.Changes{Jobs: []*job.Job{queued}})
	mustClose(t, s)
	path := filepath.Join(dir, fileDB)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(content) <= wholeCheck {
		t.Fatalf("only %d bytes", len(content))
	}
	page := os.Getpagesize()
	for at := 0; ; {
		i := bytes.Index(content[at:], []byte(`"id":"`+queued.ID+`"`))
		if i < 0 {
			break
		}
		at += i
		// The page's head may be a few pages before: a leaf can span several.
		for p := max(2, at/page-3); p <= at/page; p++ {
			copy(content[p*page:], bytes.Repeat([]byte{0xff}, 16))
		}
		at = (at/page + 1) * page
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	again := mustOpen(t, dir)
	if again.Opened().SetAside == "" {
		t.Error("it was not set aside")
	}
	mustLoad(t, again)
}

// Any single overwritten stretch must end in an error or in a store that works,
// never in a panic or a fault.
func TestNoDamageBringsTheProgramDown(t *testing.T) {
	dir, path := filled(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at+64 <= len(whole); at += 512 {
		bad := bytes.Clone(whole)
		for i := range 64 {
			bad[at+i] ^= 0xa5
		}
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(dir, testOptions())
		if err != nil {
			t.Fatalf("damage at %d: %v", at, err)
		}
		if _, err := s.Load(t.Context()); err != nil && job.CodeOf(err) != job.ErrDamaged {
			t.Errorf("damage at %d: loading: %v", at, err)
		}
		if _, err := s.History(t.Context(), job.HistoryQuery{}); err != nil && job.CodeOf(err) != job.ErrDamaged {
			t.Errorf("damage at %d: history: %v", at, err)
		}
		mustClose(t, s)
	}
}

func TestSettingAsideNeverOverwrites(t *testing.T) {
	dir := t.TempDir()
	seen := map[string]string{}
	for _, content := range []string{"first bad file", "second bad file", "third bad file"} {
		if err := os.WriteFile(filepath.Join(dir, fileDB), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		s := mustOpen(t, dir) // the clock stands still, so the names would be equal
		seen[s.Opened().SetAside] = content
		mustClose(t, s)
	}
	if len(seen) != 3 {
		t.Errorf("set aside as %v", seen)
	}
	for path, want := range seen {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v, want %q", path, got, err, want)
		}
	}
}

func TestARecordThatCannotBeReadIsLeftOutAndLeftAlone(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir)
	good, bad := waitingJob(1), waitingJob(2)
	mustSave(t, s, job.Changes{Jobs: []*job.Job{good, bad}})
	key, value := recordKey(bad.Added, bad.ID), []byte(`{"v":1,"r":{"id":`)
	write := func(tx *bolt.Tx) error { return tx.Bucket([]byte(bucketJobs)).Put(key, value) }
	if err := s.db.Update(write); err != nil {
		t.Fatal(err)
	}
	if got := ids(mustLoad(t, s).Jobs); !equalIDs(got, good.ID) {
		t.Errorf("loaded %v", got)
	}
	if err := s.Save(t.Context(), job.Changes{Jobs: []*job.Job{bad}}); err == nil {
		t.Error("an unreadable record was overwritten")
	}
	read := func(tx *bolt.Tx) error {
		if got := tx.Bucket([]byte(bucketJobs)).Get(key); !bytes.Equal(got, value) {
			t.Errorf("the record is now %q", got)
		}
		return nil
	}
	if err := s.db.View(read); err != nil {
		t.Fatal(err)
	}
}

func TestANewerSchemaIsRefusedUntouched(t *testing.T) {
	dir := t.TempDir()
	newer := append(migrations(), func(tx *bolt.Tx) error {
		_, err := tx.CreateBucket([]byte("from the future"))
		return err
	})
	s, err := open(dir, testOptions(), newer)
	if err != nil {
		t.Fatal(err)
	}
	mustClose(t, s)
	path := filepath.Join(dir, fileDB)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func() (*Store, error){
		"engine": func() (*Store, error) { return Open(dir, testOptions()) },
		"reader": func() (*Store, error) { return OpenReadOnly(dir, nil) },
	} {
		if _, err := open(); job.CodeOf(err) != job.ErrNewerData {
			t.Errorf("%s: %v, want %s", name, err, job.ErrNewerData)
		}
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file changed (%v)", err)
	}
}

func TestMigrationsRunOnceInOrderAndAllOrNone(t *testing.T) {
	dir := t.TempDir()
	first, err := open(dir, testOptions(), migrations()[:1])
	if err != nil {
		t.Fatal(err)
	}
	mustClose(t, first)
	var ran []int
	step := func(n int, err error) migration {
		return func(*bolt.Tx) error { ran = append(ran, n); return err }
	}
	broken := errors.New("broken")
	_, err = open(dir, testOptions(), []migration{step(1, nil), step(2, nil), step(3, broken)})
	if !errors.Is(err, broken) {
		t.Fatalf("a failing migration: %v", err)
	}
	s, err := open(dir, testOptions(), []migration{step(1, nil), step(2, nil), step(3, nil)})
	if err != nil {
		t.Fatal(err)
	}
	mustClose(t, s)
	if want := []int{2, 3, 2, 3}; !equalInts(ran, want) {
		t.Errorf("ran %v, want %v", ran, want)
	}
	err = s.db.View(func(*bolt.Tx) error { return nil })
	if err == nil {
		t.Error("still open")
	}
}

func equalInts(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestKeysSortAsTheirTimes(t *testing.T) {
	times := []time.Time{{}, time.Unix(0, 1), day, day.Add(1), day.Add(time.Hour), day.AddDate(100, 0, 0)}
	for i := 1; i < len(times); i++ {
		if bytes.Compare(timeKey(times[i-1]), timeKey(times[i])) >= 0 {
			t.Errorf("%v does not sort before %v", times[i-1], times[i])
		}
	}
	if got := keyTime(recordKey(day, "x")); !got.Equal(day) {
		t.Errorf("%v came back as %v", day, got)
	}
	if n := binary.BigEndian.Uint64(timeKey(day)); n != uint64(day.UnixNano()) {
		t.Errorf("not nanoseconds, big-endian: %d", n)
	}
}

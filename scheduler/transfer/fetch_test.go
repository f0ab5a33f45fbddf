package transfer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"reckoner/scheduler/job"
)

func TestMain(m *testing.M) {
	if play := os.Getenv(playedTool); play != "" {
		os.Exit(playTool(play))
	}
	goleak.VerifyTestMain(m)
}

// server is a render server's files, with faults.
type server struct {
	mu     sync.Mutex
	files  map[string][]byte
	cut    int // a body ends after this many bytes; 0 means at its end
	fails  []error
	length func(n int) int64 // what it says of a file's length; nil means the truth
	asked  []int64           // offsets
	change func(asked int)   // called before each answer
}

func (s *server) View(_ context.Context, ref job.OutputRef, offset int64) (io.ReadCloser, int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, offset)
	if s.change != nil {
		s.change(len(s.asked))
	}
	if len(s.fails) > 0 {
		err := s.fails[0]
		s.fails = s.fails[1:]
		if err != nil {
			return nil, 0, err
		}
	}
	content, ok := s.files[ref.Subfolder+"|"+ref.Filename]
	if !ok {
		return nil, 0, job.Errorf(job.ErrNoSuchFile, job.Args{File: ref.Filename}, nil)
	}
	if offset > int64(len(content)) {
		return nil, 0, job.Errorf(job.ErrBadReply, job.Args{Detail: "the file is not that long"}, nil)
	}
	total := int64(len(content))
	if s.length != nil {
		total = s.length(len(content))
	}
	body := content[offset:]
	if s.cut > 0 && len(body) > s.cut {
		return io.NopCloser(io.MultiReader(bytes.NewReader(body[:s.cut]), broken{})), total, nil
	}
	return io.NopCloser(bytes.NewReader(body)), total, nil
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func (s *server) fetcher(o Options) *Fetcher {
	return NewFetcher(func(id job.ID) (Viewer, bool) { return s, id == "s1" }, o)
}

func saved(name string) job.OutputRef {
	return job.OutputRef{Node: "9", Kind: "images", Filename: name, Type: "output"}
}

func preview(name string) job.OutputRef {
	return job.OutputRef{Node: "8", Kind: "images", Filename: name, Type: "temp"}
}

// into is a folder for results whose files are called as their server calls them.
func into(dir string) job.Destination { return job.Destination{Dir: dir} }

func fetchAll(t *testing.T, s *server, dir string, refs ...job.OutputRef) []job.Output {
	t.Helper()
	outputs, err := s.fetcher(Options{}).Fetch(t.Context(), "s1", refs, into(dir))
	if err != nil {
		t.Fatalf("fetching: %v", err)
	}
	return outputs
}

// inFolder reads a folder: names to contents.
func inFolder(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(b)
	}
	return all
}

func wantFolder(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	got := inFolder(t, dir)
	for name, content := range want {
		if got[name] != content {
			t.Errorf("%s: %d bytes, want %d", name, len(got[name]), len(content))
		}
	}
	if len(got) != len(want) {
		var names []string
		for name := range got {
			names = append(names, name)
		}
		slices.Sort(names)
		t.Errorf("the folder has %q, want %d files", names, len(want))
	}
}

func TestResultsArriveUnderTheirNames(t *testing.T) {
	s := &server{files: map[string][]byte{"|a.png": []byte("one"), "sub|测试 (1)#%.png": []byte("two")}}
	dir := filepath.Join(t.TempDir(), "2026-05-03", "castle")
	cjk := saved("测试 (1)#%.png")
	cjk.Subfolder = "sub"
	got := fetchAll(t, s, dir, saved("a.png"), cjk, saved("a.png"))
	want := []job.Output{
		{File: filepath.Join(dir, "a.png"), ServerName: "a.png", Bytes: 3, SHA256: sumOf("one")},
		{File: filepath.Join(dir, "测试 (1)#%.png"), ServerName: "测试 (1)#%.png", Bytes: 3, SHA256: sumOf("two")},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	wantFolder(t, dir, map[string]string{"a.png": "one", "测试 (1)#%.png": "two"})
}

func TestPreviewsComeAloneOrWhenWantedAndLast(t *testing.T) {
	files := map[string][]byte{"|saved.png": []byte("s"), "|temp.png": []byte("t")}
	for name, c := range map[string]struct {
		refs []job.OutputRef
		all  bool
		want string
	}{
		"beside a result": {[]job.OutputRef{preview("temp.png"), saved("saved.png")}, false, "[saved.png:false]"},
		"wanted": {
			[]job.OutputRef{preview("temp.png"), saved("saved.png")}, true, "[saved.png:false temp.png:true]",
		},
		"alone":                    {[]job.OutputRef{preview("temp.png")}, false, "[temp.png:true]"},
		"gone":                     {[]job.OutputRef{preview("gone.png")}, false, "[]"},
		"gone, beside a result":    {[]job.OutputRef{preview("gone.png"), saved("saved.png")}, true, "[saved.png:false]"},
		"type missing is a result": {[]job.OutputRef{{Filename: "saved.png"}}, false, "[saved.png:false]"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{files: files}
			got := []string{}
			outputs, err := s.fetcher(Options{}).Fetch(t.Context(), "s1", c.refs, job.Destination{Dir: t.TempDir(), Temp: c.all})
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range outputs {
				got = append(got, fmt.Sprintf("%s:%v", o.ServerName, o.Preview))
			}
			if fmt.Sprint(got) != c.want {
				t.Errorf("%v, want %s", got, c.want)
			}
		})
	}
}

// Given a server that says that a result has no byte, when it is fetched, then
// it is asked for a while, the file that comes in the end is the result, and one
// that stays empty is an error and leaves nothing behind.
func TestAnEmptyFileIsNoResult(t *testing.T) {
	for name, c := range map[string]struct {
		fills bool
		code  string
		want  map[string]string
	}{
		"it is being written": {true, "", map[string]string{"a.png": "picture"}},
		"it stays empty":      {false, job.ErrShortFile, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &server{files: map[string][]byte{"|a.png": {}}}
				s.change = func(asked int) {
					if c.fills && asked == 3 {
						s.files["|a.png"] = []byte("picture")
					}
				}
				dir := t.TempDir()
				outputs, err := s.fetcher(Options{}).Fetch(t.Context(), "s1", []job.OutputRef{saved("a.png")}, into(dir))
				if job.CodeOf(err) != c.code || len(outputs) != len(c.want) || len(s.asked) < 3 {
					t.Errorf("%v, %v, asked %d times", outputs, err, len(s.asked))
				}
				wantFolder(t, dir, c.want)
			})
		})
	}
}

func TestABodyThatBreaksOffIsGoneOnWith(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789"), 1000)
	for name, c := range map[string]struct {
		server  *server
		offsets string
	}{
		"proxy cuts every answer short": {&server{cut: 4000}, "[0 4000 8000]"},
		"the first two answers fail": {&server{fails: []error{
			job.Errorf(job.ErrUnreachable, job.Args{}, nil), job.Errorf(job.ErrServerFault, job.Args{}, nil),
		}}, "[0 0 0]"},
		"it breaks off, then cannot go on": {&server{cut: 4000, fails: []error{
			nil, job.Errorf(job.ErrBadReply, job.Args{}, nil), nil,
		}}, "[0 4000 0 4000 8000]"},
		"no length told, breaks off": {&server{cut: 6000, length: func(int) int64 { return -1 }}, "[0 6000]"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := c.server
				s.files = map[string][]byte{"|a.mp4": content}
				dir := t.TempDir()
				got := fetchAll(t, s, dir, saved("a.mp4"))
				if len(got) != 1 || got[0].Bytes != int64(len(content)) {
					t.Errorf("%+v", got)
				}
				if fmt.Sprint(s.asked) != c.offsets {
					t.Errorf("asked from %v, want %s", s.asked, c.offsets)
				}
				wantFolder(t, dir, map[string]string{"a.mp4": string(content)})
			})
		})
	}
}

func TestAFileThatChangesMeanwhileIsFetchedAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{cut: 500, files: map[string][]byte{"|a.png": bytes.Repeat([]byte("old"), 300)}}
		s.change = func(asked int) {
			if asked == 2 {
				s.files["|a.png"] = bytes.Repeat([]byte("new!"), 200)
			}
		}
		dir := t.TempDir()
		fetchAll(t, s, dir, saved("a.png"))
		wantFolder(t, dir, map[string]string{"a.png": strings.Repeat("new!", 200)})
	})
}

func TestAFileThatCannotBeHadWholeLeavesNothing(t *testing.T) {
	content := []byte("0123456789")
	says := func(length func(n int) int64) *server { return &server{length: length} }
	always := func(code string) []error {
		return slices.Repeat([]error{job.Errorf(code, job.Args{}, nil)}, 50)
	}
	for name, c := range map[string]struct {
		server *server
		code   string
		asked  int
	}{
		"shorter than its length":       {says(func(n int) int64 { return int64(n) + 1 }), job.ErrShortFile, 1 + idleTries},
		"longer than its length":        {says(func(n int) int64 { return int64(n) - 1 }), job.ErrShortFile, idleTries},
		"a length beyond all bounds":    {says(func(int) int64 { return 1 << 62 }), job.ErrTooLarge, 1},
		"a large length, little behind": {says(func(int) int64 { return 1 << 35 }), job.ErrShortFile, 1 + idleTries},
		"endless without a length":      {says(func(int) int64 { return -1 }), job.ErrTooLarge, 1},
		"nothing, without a length": {
			&server{length: func(int) int64 { return -1 }, cut: -1}, job.ErrShortFile, idleTries,
		},
		"not there":       {&server{fails: always(job.ErrNoSuchFile)}, job.ErrNoSuchFile, 1},
		"login needed":    {&server{fails: always(job.ErrLogin)}, job.ErrLogin, 1},
		"never reachable": {&server{fails: always(job.ErrUnreachable)}, job.ErrUnreachable, idleTries},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := c.server
				s.files = map[string][]byte{"|bad.png": content, "|good.png": []byte("g")}
				o := Options{}
				switch {
				case s.cut < 0:
					s.files["|bad.png"], s.cut = nil, 0
				case c.code == job.ErrTooLarge && s.length(0) < 0:
					o.MaxBytes = 5
				}
				dir := t.TempDir()
				outputs, err := s.fetcher(o).Fetch(t.Context(), "s1", []job.OutputRef{saved("bad.png")}, into(dir))
				if job.CodeOf(err) != c.code || len(outputs) != 0 {
					t.Errorf("%+v, %v, want %s", outputs, err, c.code)
				}
				if !strings.Contains(err.Error(), "bad.png") || !strings.Contains(err.Error(), "s1") {
					t.Errorf("it does not say which file of which server: %v", err)
				}
				if len(s.asked) != c.asked {
					t.Errorf("asked %d times, want %d", len(s.asked), c.asked)
				}
				wantFolder(t, dir, nil)
			})
		})
	}
}

func TestOneFileThatIsMissingDoesNotCostTheOthers(t *testing.T) {
	s := &server{files: map[string][]byte{"|a.png": []byte("a"), "|c.png": []byte("c")}}
	dir := t.TempDir()
	refs := []job.OutputRef{saved("a.png"), saved("b.png"), saved("c.png")}
	outputs, err := s.fetcher(Options{}).Fetch(t.Context(), "s1", refs, into(dir))
	if job.CodeOf(err) != job.ErrNoSuchFile || len(outputs) != 2 {
		t.Errorf("%+v, %v", outputs, err)
	}
}

func TestTheSameNameTwice(t *testing.T) {
	dir := t.TempDir()
	s := &server{files: map[string][]byte{"|a.tar.gz": []byte("first")}}
	for _, c := range []struct{ content, want string }{
		{"first", "a.tar.gz"},
		{"first", "a.tar.gz"}, // fetched again after a crash
		{"other", "a.tar (2).gz"},
		{"longer", "a.tar (3).gz"},
		{"other", "a.tar (2).gz"},
	} {
		s.files["|a.tar.gz"] = []byte(c.content)
		got := fetchAll(t, s, dir, saved("a.tar.gz"))
		if len(got) != 1 || filepath.Base(got[0].File) != c.want || got[0].Bytes != int64(len(c.content)) {
			t.Errorf("%s: %+v, want %s", c.content, got, c.want)
		}
	}
	wantFolder(t, dir, map[string]string{"a.tar.gz": "first", "a.tar (2).gz": "other", "a.tar (3).gz": "longer"})
}

func TestNamesFromAServerNeverLeaveTheFolder(t *testing.T) {
	outside := t.TempDir()
	dir := filepath.Join(outside, "results")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		// A link that somebody put there under the result's name.
		if err := os.Symlink(secret, filepath.Join(dir, "link.png")); err != nil {
			t.Fatal(err)
		}
	}
	names := []string{"../secret", `..\secret`, secret, "link.png", "..", ".profile", "a\x00b"}
	s := &server{files: map[string][]byte{}}
	var refs []job.OutputRef
	for i, name := range names {
		ref := saved(name)
		ref.Subfolder = "../../up"
		s.files[ref.Subfolder+"|"+name] = []byte(fmt.Sprintf("content %d", i))
		refs = append(refs, ref)
	}
	for _, o := range fetchAll(t, s, dir, refs...) {
		if filepath.Dir(o.File) != dir {
			t.Errorf("%q went to %s", o.ServerName, o.File)
		}
	}
	if b, err := os.ReadFile(secret); err != nil || string(b) != "secret" {
		t.Errorf("the file outside is now %q, %v", b, err)
	}
	entries, err := os.ReadDir(outside)
	if err != nil || len(entries) != 2 {
		t.Errorf("outside: %v, %v", entries, err)
	}
}

func sumOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

func TestWhatCameOverTheWebsocketIsTakenFromWhereItWasKept(t *testing.T) {
	s := &server{files: map[string][]byte{"|a.png": []byte("of the server")}}
	blob := func(_ context.Context, sum string) ([]byte, error) {
		if sum != "abc" {
			return nil, errors.New("no such blob")
		}
		return []byte("of the socket"), nil
	}
	f := NewFetcher(func(job.ID) (Viewer, bool) { return WithKept(s, blob), true }, Options{})
	dir := t.TempDir()
	refs := []job.OutputRef{saved("a.png"), {Filename: "b.png", Type: job.ViaSocket, Subfolder: "abc"}}
	if _, err := f.Fetch(t.Context(), "s1", refs, into(dir)); err != nil {
		t.Fatal(err)
	}
	wantFolder(t, dir, map[string]string{"a.png": "of the server", "b.png": "of the socket"})
}

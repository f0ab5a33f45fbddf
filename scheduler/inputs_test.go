package scheduler_test

import (
	"context"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// keeping is a render server that keeps the files which jobs read, and renames
// what it is sent.
type keeping struct {
	*played
	files map[string]string // by type and name
}

func (k keeping) Upload(_ context.Context, name string, content []byte) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.files["input/our "+name] = string(content)
	return "our " + name, nil
}

// kept gives what it has, by type and name.
func (k keeping) kept() map[string]string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.files)
}

func (k keeping) Has(_ context.Context, ref job.OutputRef) (bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, has := k.files[ref.Type+"/"+ref.Filename]
	return has, nil
}

func (k keeping) View(_ context.Context, ref job.OutputRef, _ int64) (io.ReadCloser, int64, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	content, has := k.files[ref.Type+"/"+ref.Filename]
	if !has {
		return nil, 0, job.Errorf(job.ErrNoSuchFile, job.Args{}, nil)
	}
	return io.NopCloser(strings.NewReader(content)), int64(len(content)), nil
}

// withKeeping runs a test on an engine with servers that keep files, in virtual
// time.
func withKeeping(t *testing.T, test func(t *testing.T, e *scheduler.Engine, servers map[string]keeping), names ...string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		servers := map[string]keeping{}
		for _, name := range names {
			servers["http://"+name] = keeping{played: &played{takes: time.Minute}, files: map[string]string{}}
		}
		connect := func(s job.Server) scheduler.RenderServer { return servers[s.URL] }
		engine, _ := startWith(t, connect, handed{}, names...)
		defer func() {
			if err := engine.Stop(context.Background()); err != nil {
				t.Error(err)
			}
		}()
		test(t, engine, servers)
	})
}

// loading is a graph with loaders of these files, titled A, B, ...
func loading(files ...string) string {
	var out strings.Builder
	out.WriteString(`{"9":{"class_type":"SaveImage","inputs":{`)
	for i := range files {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(`"in` + string(rune('a'+i)) + `":["` + string(rune('1'+i)) + `",0]`)
	}
	out.WriteString(`}}`)
	for i, f := range files {
		out.WriteString(`,"` + string(rune('1'+i)) + `":{"class_type":"LoadImage","_meta":{"title":"` + string(rune('A'+i)) +
			`"},"inputs":{"image":"` + f + `"}}`)
	}
	return out.String() + "}"
}

func write(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// picture is a JPEG without a workflow, as far as it is read.
func picture(of string) string { return "\xff\xd8\xff" + of }

func add(t *testing.T, e *scheduler.Engine, req scheduler.AddRequest) scheduler.Added {
	t.Helper()
	added, err := e.Add(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return added
}

func runs(t *testing.T, f *scheduler.Follower, n int) {
	t.Helper()
	for range n {
		follow(t, f, job.EventJobEnded)
	}
	f.Close()
}

func TestAMissingFileIsAskedForAndTakenWhenItComes(t *testing.T) {
	withKeeping(t, func(t *testing.T, e *scheduler.Engine, servers map[string]keeping) {
		srv := servers["http://gpu-1"]
		added := add(t, e, scheduler.AddRequest{Files: []string{write(t, filepath.Join(t.TempDir(), "a.json"), loading("sub/x.png"))}})
		if len(added.Jobs) != 1 || added.Jobs[0].Outcome != job.JobNeedsYou || added.Jobs[0].Why.Code != job.ErrMissingInput {
			t.Fatalf("%+v", added)
		}
		synctest.Wait()
		time.Sleep(time.Second) // the next snapshot shows it
		if len(srv.sent()) > 0 {
			t.Fatal("it was sent without its file")
		}
		f := e.Follow()
		late := write(t, filepath.Join(t.TempDir(), "x.png"), picture("late"))
		if added := add(t, e, scheduler.AddRequest{Files: []string{late}}); len(added.Refused) > 0 || len(added.Resumed) != 1 {
			t.Fatalf("%+v", added)
		}
		runs(t, f, 1)
		if len(srv.sent()) != 1 || !strings.Contains(srv.sent()[0], `"image":"our reckoner-`) {
			t.Errorf("sent %v", srv.sent())
		}
		if kept := slices.Collect(maps.Values(srv.kept())); !slices.Equal(kept, []string{picture("late")}) {
			t.Errorf("uploaded %q", kept)
		}
	}, "gpu-1")
}

func TestAFileNextToTheJobIsTakenAndNoneOutsideOfItsFolder(t *testing.T) {
	withKeeping(t, func(t *testing.T, e *scheduler.Engine, servers map[string]keeping) {
		srv := servers["http://gpu-1"]
		top := t.TempDir()
		dir := filepath.Join(top, "jobs")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(top, "secret.png"), picture("secret"))
		write(t, filepath.Join(dir, "near.png"), picture("near"))
		write(t, filepath.Join(dir, "notes.png"), "a text that is called a picture")
		if err := os.Symlink(filepath.Join(top, "secret.png"), filepath.Join(dir, "link.png")); err != nil {
			t.Fatal(err)
		}
		f := e.Follow()
		for i, c := range []struct {
			file string
			runs bool
		}{{"near.png", true}, {"../secret.png", false}, {"notes.png", false}, {"link.png", false}} {
			path := write(t, filepath.Join(dir, string(rune('a'+i))+".json"), loading(c.file))
			added := add(t, e, scheduler.AddRequest{Files: []string{path}})
			if len(added.Jobs) != 1 || (added.Jobs[0].Why == nil) != c.runs {
				t.Errorf("%s: %+v", c.file, added)
			}
		}
		runs(t, f, 4)
		if kept := slices.Collect(maps.Values(srv.kept())); !slices.Equal(kept, []string{picture("near")}) {
			t.Errorf("uploaded %q", kept)
		}
	}, "gpu-1")
}

func TestAFileOfTheServersOwnStaysAsItIsNamed(t *testing.T) {
	withKeeping(t, func(t *testing.T, e *scheduler.Engine, servers map[string]keeping) {
		srv := servers["http://gpu-1"]
		srv.files["output/made.png"] = picture("made")
		f := e.Follow()
		add(t, e, scheduler.AddRequest{Files: []string{write(t, filepath.Join(t.TempDir(), "a.json"), loading("made.png [output]"))}})
		runs(t, f, 1)
		if len(srv.sent()) != 1 || !strings.Contains(srv.sent()[0], `"made.png [output]"`) || len(srv.kept()) != 1 {
			t.Errorf("sent %v, files %v", srv.sent(), srv.kept())
		}
	}, "gpu-1")
}

func TestAFileThatOnlyAnotherServerHasIsFetchedThere(t *testing.T) {
	withKeeping(t, func(t *testing.T, e *scheduler.Engine, servers map[string]keeping) {
		servers["http://gpu-2"].files["input/x.png"] = picture("there")
		f := e.Follow()
		add(t, e, scheduler.AddRequest{
			Files: []string{write(t, filepath.Join(t.TempDir(), "a.json"), loading("x.png"))}, Servers: []job.ID{"gpu-1"},
		})
		runs(t, f, 1)
		if kept := slices.Collect(maps.Values(servers["http://gpu-1"].kept())); !slices.Equal(kept, []string{picture("there")}) {
			t.Errorf("uploaded %q", kept)
		}
	}, "gpu-1", "gpu-2")
}

func TestWithTwoInputsItIsAskedWhichReadsThePictures(t *testing.T) {
	withKeeping(t, func(t *testing.T, e *scheduler.Engine, servers map[string]keeping) {
		srv := servers["http://gpu-1"]
		srv.files["input/a.png"], srv.files["input/b.png"] = picture("a"), picture("b")
		drop, path := t.TempDir(), write(t, filepath.Join(t.TempDir(), "a.json"), loading("a.png", "b.png"))
		write(t, filepath.Join(drop, "1.png"), picture("1"))
		write(t, filepath.Join(drop, "2.png"), picture("2"))
		added := add(t, e, scheduler.AddRequest{Files: []string{path, drop}})
		if len(added.Jobs) > 0 || len(added.Refused) != 1 || added.Refused[0].Err.Code != job.ErrWhichInput ||
			!slices.Equal(added.Refused[0].Err.Args.Allowed, []string{"A", "B"}) {
			t.Fatalf("%+v", added)
		}
		f := e.Follow()
		if added = add(t, e, scheduler.AddRequest{Files: []string{path, drop}, Input: "B"}); len(added.Jobs) != 2 {
			t.Fatalf("%+v", added)
		}
		runs(t, f, 2)
		for _, g := range srv.sent() {
			if !strings.Contains(g, `"image":"a.png"`) || !strings.Contains(g, `"image":"our reckoner-`) {
				t.Errorf("sent %s", g)
			}
		}
	}, "gpu-1")
}

func TestOfTwoFilesOfOneNameTheRightOneIsRead(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string // by folder and name
		want  string            // the content that is sent, "" when it is asked
	}{
		"different ones":              {map[string]string{"a/start.png": "one", "b/start.png": "two"}, ""},
		"equal ones":                  {map[string]string{"a/start.png": "one", "b/start.png": "one"}, "one"},
		"one beside the job, another": {map[string]string{"a/start.png": "one", "jobs/start.png": "two"}, "two"},
	} {
		withKeeping(t, func(t *testing.T, e *scheduler.Engine, servers map[string]keeping) {
			// given two pictures of the name that a job reads
			dir := t.TempDir()
			files := []string{filepath.Join(dir, "jobs", "job.json")}
			for _, name := range []string{"a", "b", "jobs"} {
				if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			write(t, files[0], loading("start.png"))
			for _, of := range slices.Sorted(maps.Keys(c.files)) {
				files = append(files, write(t, filepath.Join(dir, of), picture(c.files[of])))
			}
			// when all are dropped together
			added, err := e.Add(t.Context(), scheduler.AddRequest{Files: files})
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(3 * time.Minute) // of the bubble
			// then the one that is meant is sent, or it is asked which
			var sent []string
			for at, content := range servers["http://m"].kept() {
				if strings.HasPrefix(at, "input/our") {
					sent = append(sent, content)
				}
			}
			switch {
			case c.want == "":
				if len(added.Jobs) != 0 || len(added.Refused) != 1 || added.Refused[0].Err.Code != job.ErrSameName || len(sent) > 0 {
					t.Errorf("%s: %+v, sent %q", name, added.Refused, sent)
				}
			case c.want != "" && (len(added.Jobs) != 1 || !slices.Equal(sent, []string{picture(c.want)})):
				t.Errorf("%s: %d jobs, sent %q, refused %+v", name, len(added.Jobs), sent, added.Refused)
			}
		}, "m")
	}
}

package transfer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reckoner/scheduler/job"
)

func TestResultsAreNamedByTheTemplate(t *testing.T) {
	to := job.Destination{
		Date:  time.Date(2026, 5, 3, 23, 30, 0, 0, time.Local),
		Batch: "castle", Job: "walk", Machine: "gpu-1", Seed: "18446744073709551615",
	}
	hostile := to
	hostile.Batch, hostile.Job, hostile.Machine = "../..", "a/../../b", `..\nul`
	plain := job.Destination{Job: "walk"} // nothing else is known
	for _, c := range []struct {
		to              job.Destination
		template, want  string
		server, comment string
	}{
		{to, "", "a_00001_.png", "a_00001_.png", "as the server calls it"},
		{to, job.DefaultNames, "2026-05-03/castle/a_00001_.png", "a_00001_.png", "a folder a day and a batch"},
		{to, "{machine}/{name}-{seed}", "gpu-1/walk-18446744073709551615.mp4", "x.mp4", "every digit of the seed"},
		{to, "{name}.MP4", "walk.MP4", "x.mp4", "an ending that stands in the template"},
		{to, "{file}", "a.png.png", "a.png.png", "an ending twice"},
		{to, "{name}_{other}", "walk_{other}.png", "x.png", "what is no placeholder"},
		{to, "{date}/{batch}/", "2026-05-03/castle/x.png", "x.png", "folders only"},
		{to, `{date}\{name}`, "2026-05-03/walk.png", "x.png", "Windows' separator"},
		{to, "{name}", "walk", "no-ending", "no ending"},
		{plain, "{date}/{batch}/{name}-{seed}", "walk.png", "x.png", "what is not known, with what joins it"},
		{plain, "{seed}", "x.png", "x.png", "nothing known: the server's name"},
		{to, "../../{name}", "walk.png", "x.png", "upwards"},
		{to, "/etc/{name}", "etc/walk.png", "x.png", "from the top"},
		{to, "a/./../b/.{name}", "a/b/walk.png", "../../x.png", "a hidden file, and a server that lies"},
		{hostile, "{batch}/{machine}/{name}", "_/_nul/a_.._.._b.png", "x.png", "values that lead upwards"},
		{hostile, "{batch}{batch}/{name}{file}", "__/a_.._.._bx.png", "x.png", "values that do together"},
	} {
		c.to.Names = c.template
		folder, name := pathOf(c.to, c.server)
		if got := filepath.Join(folder, name); got != filepath.FromSlash(c.want) {
			t.Errorf("%s: %q makes %q, want %q", c.comment, c.template, got, c.want)
		}
	}
}

func TestResultsOfATemplateAreUniqueAndStayWhenFetchedAgain(t *testing.T) {
	// Given two results that a template gives one name
	s := &server{files: map[string][]byte{"|a.png": []byte("one"), "|b.png": []byte("two")}}
	to := job.Destination{Dir: t.TempDir(), Names: "{machine}/{name}", Job: "walk", Machine: "gpu-1"}
	// when they are fetched, twice
	for range 2 {
		got, err := s.fetcher(Options{}).Fetch(t.Context(), "s1", []job.OutputRef{saved("a.png"), saved("b.png")}, to)
		if err != nil || len(got) != 2 || got[1].File != filepath.Join(to.Dir, "gpu-1", "walk (2).png") {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	// then each is there, once
	wantFolder(t, filepath.Join(to.Dir, "gpu-1"), map[string]string{"walk.png": "one", "walk (2).png": "two"})
}

func TestNoLinkLeadsResultsOutside(t *testing.T) {
	// Given a folder of the template that is a link to somewhere else
	s := &server{files: map[string][]byte{"|a.png": []byte("one")}}
	outside := t.TempDir()
	to := job.Destination{Dir: t.TempDir(), Names: "{machine}/{name}", Job: "walk", Machine: "gpu-1"}
	if err := os.Symlink(outside, filepath.Join(to.Dir, "gpu-1")); err != nil {
		t.Skip(err)
	}
	// then nothing is written there
	_, err := s.fetcher(Options{}).Fetch(t.Context(), "s1", []job.OutputRef{saved("a.png")}, to)
	if job.CodeOf(err) != job.ErrDisk || !strings.Contains(err.Error(), "gpu-1") {
		t.Errorf("got %v, want %s", err, job.ErrDisk)
	}
	wantFolder(t, outside, map[string]string{})
}

// FuzzPathOf gives templates and values of any kind. What comes out lies below.
func FuzzPathOf(f *testing.F) {
	f.Add(job.DefaultNames, "castle", "a.png")
	f.Add("../{batch}/..", "..", "..")
	f.Add("{batch}\x00/con", "/", ".png")
	f.Fuzz(func(t *testing.T, template, value, server string) {
		to := job.Destination{Names: template, Batch: value, Job: value, Machine: value, Seed: value}
		folder, name := pathOf(to, server)
		if below := filepath.Join(folder, name); !filepath.IsLocal(below) || filepath.Dir(below) != filepath.Clean(folder) {
			t.Fatalf("%q, %q", folder, name)
		}
		if FileName(name) != name {
			t.Fatalf("%q is no name that every system takes", name)
		}
	})
}

package assets_test

import (
	"bytes"
	"io/fs"
	"path"
	"strings"
	"testing"

	"reckoner/assets"
	"reckoner/assets/text"
	"reckoner/scheduler/job"
	"reckoner/scheduler/jobfile"
)

func samples(t *testing.T) map[string]jobfile.File {
	t.Helper()
	names, err := fs.Glob(assets.Samples, "samples/*.json")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]jobfile.File{}
	for _, name := range names {
		data, err := fs.ReadFile(assets.Samples, name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := jobfile.Read(bytes.NewReader(data), name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		files[strings.TrimSuffix(path.Base(name), ".json")] = f
	}
	return files
}

func TestSamplesAreTheJobsOfTheStory(t *testing.T) {
	const (
		video   = "Image to video · 640 × 640 · 161 frames · 20 steps"
		picture = "Text to image · 1024 × 1024 · 25 steps"
	)
	want := map[string]string{
		"beach-walk": video, "harbour-night": video, "forest-loop": video, "old-town": video,
		"dune-sunrise": picture, "lighthouse": picture,
		"logo-spin": "Text to video · 832 × 480 · 81 frames · 30 steps",
	}
	got := samples(t)
	if len(got) != len(want) {
		t.Errorf("%d samples, want %d", len(got), len(want))
	}
	for name, typ := range want {
		f := got[name]
		if words := text.English.Type(f.Type); words != typ {
			t.Errorf("%s is %q, want %q", name, words, typ)
		}
		if len(f.Warnings) != 0 || len(f.Facts.Inputs) != 0 {
			t.Errorf("%s has warnings %v and needs files %v", name, f.Warnings, f.Facts.Inputs)
		}
	}
}

func TestSamplesOfOneKindShareATypeButNotASeed(t *testing.T) {
	files := samples(t)
	for _, kind := range [][]string{
		{"beach-walk", "harbour-night", "forest-loop", "old-town"}, {"dune-sunrise", "lighthouse"}, {"logo-spin"},
	} {
		seeds := map[string]string{}
		for _, name := range kind {
			f := files[name]
			if f.Type.Key != files[kind[0]].Type.Key {
				t.Errorf("%s is of another type than %s", name, kind[0])
			}
			seed := seedOf(t, f.Graph)
			if other, taken := seeds[seed]; taken {
				t.Errorf("%s has the seed of %s: the server would answer from its cache", name, other)
			}
			seeds[seed] = name
		}
	}
	if files["beach-walk"].Type.Key == files["logo-spin"].Type.Key {
		t.Error("logo-spin must be the first of its kind")
	}
}

func seedOf(t *testing.T, g job.Graph) string {
	t.Helper()
	for _, n := range g.Nodes {
		if in, ok := n.Input("seed"); ok {
			return string(in.Value)
		}
	}
	t.Fatal("no seed")
	return ""
}

package jobfile_test

import (
	"strings"
	"testing"

	"reckoner/scheduler/job"
	"reckoner/scheduler/jobfile"
)

func TestReadRepairsOnlyWhatHarmsAServer(t *testing.T) {
	const end = `"9":{"class_type":"PreviewImage","inputs":{"images":["1",0]}}`
	for _, c := range []struct{ name, in, out, code string }{
		{
			"a node without inputs, which stops a server's worker for good",
			`{"1":{"class_type":"Gen"},` + end + `}`,
			`{"1":{"class_type":"Gen","inputs":{}},` + end + `}`, job.WarnNoInputs,
		},
		{
			"inputs that are null",
			`{"1":{"inputs":null,"class_type":"Gen"},` + end + `}`,
			`{"1":{"inputs":{},"class_type":"Gen"},` + end + `}`, job.WarnNoInputs,
		},
		{
			"is_changed, as servers write it",
			`{"1":{"inputs":{"a":1},"class_type":"Gen","is_changed":["abc"]},` + end + `}`,
			`{"1":{"inputs":{"a":1},"class_type":"Gen"},` + end + `}`, job.WarnIsChanged,
		},
		{
			"bare NaN, but not in a text",
			`{"1":{"inputs":{"a":NaN,"b":"NaN","c":[-Infinity,Infinity]},"class_type":"Gen"},` + end + `}`,
			`{"1":{"inputs":{"a":null,"b":"NaN","c":[null,null]},"class_type":"Gen"},` + end + `}`, job.WarnNaN,
		},
		{
			"a node twice: the last one counts, as for the server",
			`{"1":{"inputs":{},"class_type":"Old"},` + end + `,"1":{"inputs":{},"class_type":"New"}}`,
			`{"1":{"inputs":{},"class_type":"New"},` + end + `}`, job.WarnRepeated,
		},
		{
			"a node that nothing needs is sent and told",
			`{"1":{"inputs":{},"class_type":"Gen"},"2":{"inputs":{},"class_type":"CLIPLoader"},` + end + `}`,
			`{"1":{"inputs":{},"class_type":"Gen"},"2":{"inputs":{},"class_type":"CLIPLoader"},` + end + `}`,
			job.WarnUnneeded,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := jobfile.Read(strings.NewReader(c.in), "x.json")
			if err != nil {
				t.Fatal(err)
			}
			if string(f.Graph.Raw) != c.out {
				t.Errorf("would send\n%s, want\n%s", f.Graph.Raw, c.out)
			}
			if len(f.Warnings) != 1 || f.Warnings[0].Code != c.code {
				t.Errorf("warnings %+v, want one of %s", f.Warnings, c.code)
			}
		})
	}
}

func TestReadWarnsOfAClassItDoesNotKnowInsteadOfRefusing(t *testing.T) {
	// given a graph that ends in a class that no list names
	const graph = `{"1":{"class_type":"Gen","inputs":{}},"2":{"class_type":"UploadToWall","inputs":{"x":["1",0]}}}`
	// when it is read
	f, err := jobfile.Read(strings.NewReader(graph), "wall.json")
	// then it is a job, with the doubt
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Warnings) != 1 || f.Warnings[0].Code != job.WarnMaybeNone || f.Warnings[0].Args.Class != "UploadToWall" {
		t.Errorf("warnings %+v, want a doubt about UploadToWall", f.Warnings)
	}
}

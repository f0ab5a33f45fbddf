package comfy

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"reckoner/scheduler/job"
)

const loadImage = `"LoadImage":{"input":{"required":{"image":[["a.png"],{"image_upload":true}]}},"output":["IMAGE"]}`

func TestClassesAreReadAtOnce(t *testing.T) {
	s, _ := routes(t, map[string]string{
		"GET /api/prompt":      `{"exec_info":{"queue_remaining":0}}`,
		"GET /api/object_info": `{` + loadImage + `,"X":{"input":{"required":{"f":["FLOAT",{"max":Infinity}]}},"output":[]}}`,
	})
	got, err := newTest(t, Options{URL: s.URL}).Classes(t.Context(), nil)
	if err != nil || len(got) != 2 || got["LoadImage"].Inputs[0].Upload != "image" || got["X"].Inputs[0].Type != "FLOAT" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestClassesInNeedAreAskedOneByOneWhereOneSpoilsThemAll(t *testing.T) {
	// given a server of which one custom node breaks the whole answer
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch path := strings.TrimPrefix(r.URL.Path, "/api"); path {
		case "/prompt":
			_, _ = w.Write([]byte(`{"exec_info":{"queue_remaining":0}}`))
		case "/object_info/LoadImage":
			asked = append(asked, path)
			_, _ = w.Write([]byte(`{` + loadImage + `}`))
		case "/object_info/Nobody's":
			asked = append(asked, path)
			_, _ = w.Write([]byte(`{}`))
		default:
			asked = append(asked, path)
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = w.Write([]byte("500 Internal Server Error"))
		}
	}))
	defer s.Close()
	// when classes are needed
	got, err := newTest(t, Options{URL: s.URL}).Classes(t.Context(), []string{"LoadImage", "Bad", "Nobody's", "LoadImage"})
	// then those that the server can tell come, each asked for once
	if err != nil || len(got) != 1 || got["LoadImage"].Outputs[0] != "IMAGE" {
		t.Errorf("%+v, %v", got, err)
	}
	if want := "/object_info /object_info/Bad /object_info/LoadImage /object_info/Nobody's"; strings.Join(asked, " ") != want {
		t.Errorf("asked %q, want %q", asked, want)
	}
}

func TestAClassThatAServerFailsToDescribeIsNotAbsent(t *testing.T) {
	// given a server with a class of an odd shape, one that breaks its answer, and one that it lacks
	s, _ := routes(t, map[string]string{
		"GET /api/prompt":                `{"exec_info":{"queue_remaining":0}}`,
		"GET /api/object_info/LoadImage": `{` + loadImage + `}`,
		"GET /api/object_info/Odd":       `{"Odd":{"input":7}}`,
		"GET /api/object_info/Bad":       `[`,
		"GET /api/object_info/Nobody's":  `{}`,
	})
	// when it is asked for them by name
	got, absent, err := newTest(t, Options{URL: s.URL}).ClassesNamed(t.Context(), []string{"Nobody's", "Bad", "Odd", "LoadImage"})
	// then only what it says that it does not have is absent
	if err != nil || len(got) != 1 || got["LoadImage"].Outputs == nil || strings.Join(absent, " ") != "Nobody's" {
		t.Errorf("%+v, absent %q, %v", got, absent, err)
	}
}

func TestClassesThatCannotBeReadAtAllAreAnError(t *testing.T) {
	for answer, code := range map[string]string{`[]`: job.ErrBadReply, `<html>`: job.ErrNotComfy} {
		s, _ := routes(t, map[string]string{
			"GET /api/prompt": `{"exec_info":{"queue_remaining":0}}`, "GET /api/object_info": answer,
		})
		if _, err := newTest(t, Options{URL: s.URL}).Classes(t.Context(), nil); job.CodeOf(err) != code {
			t.Errorf("%s: %v, want %s", answer, err, code)
		}
	}
}

package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// i2vPage is an image-to-video workflow as ComfyUI's page saves it, small enough
// to run at once.
const i2vPage = `{"nodes":[
{"id":1,"type":"LoadImage","title":"Start picture","outputs":[{"type":"IMAGE"},{"type":"MASK"}],"widgets_values":["start.png","image"]},
{"id":2,"type":"ImageScale","inputs":[{"name":"image","type":"IMAGE","link":1}],"outputs":[{"type":"IMAGE"}],
 "widgets_values":["lanczos",64,64,"disabled"]},
{"id":3,"type":"SaveAnimatedWEBP","inputs":[{"name":"images","type":"IMAGE","link":2}],"widgets_values":["clip",16,false,85,"default"]}],
"links":[[1,1,0,2,0,"IMAGE"],[2,2,0,3,0,"IMAGE"]]}`

// writePicture writes a picture of one colour, without a workflow.
func writePicture(t *testing.T, path string, red uint8) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 8, 8))
	for i := range 64 {
		m.Set(i%8, i/8, color.RGBA{R: red, A: 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func writeText(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// sentPrompts gives the prompts in a server's history: graph and extra data.
func sentPrompts(t *testing.T, r render) (graphs, extras []string) {
	t.Helper()
	var history map[string]struct{ Prompt []json.RawMessage }
	r.get(t, "/history", &history)
	for _, rec := range history {
		graphs = append(graphs, string(rec.Prompt[2]))
		extras = append(extras, string(rec.Prompt[3]))
	}
	return graphs, extras
}

// uploadedName gives the name of ours in a graph.
func uploadedName(t *testing.T, graph string) string {
	t.Helper()
	at := strings.Index(graph, "reckoner-")
	if at < 0 {
		t.Fatalf("no file of ours in %s", graph)
	}
	name, _, _ := strings.Cut(graph[at:], `"`)
	return name
}

func view(t *testing.T, r render, name string) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.url+"/view?type=input&filename="+name, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	content, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestAWorkflowAndItsPictureRunTogetherAndComeBack(t *testing.T) {
	r := newRender(t, 0.01)
	dir, drop, data := t.TempDir(), t.TempDir(), t.TempDir()
	page := writeText(t, filepath.Join(dir, "i2v.json"), i2vPage)
	picture := writePicture(t, filepath.Join(drop, "start.png"), 200)
	out := filepath.Join(t.TempDir(), "out")
	_, status, said := reckon(t, data, "run", "--server", r.url, "--out", out, "--json", page, filepath.Join(drop, "start.png"))
	if status != exitDone {
		t.Fatalf("exit %d\n%s", status, said)
	}
	results, err := filepath.Glob(filepath.Join(out, "*.webp"))
	if err != nil || len(results) != 1 {
		t.Errorf("results %v, %v", results, err)
	}
	graphs, extras := sentPrompts(t, r)
	if len(graphs) != 1 {
		t.Fatalf("%d prompts", len(graphs))
	}
	name := uploadedName(t, graphs[0])
	if !bytes.Equal(view(t, r, name), picture) {
		t.Error("what the server reads is not the picture")
	}
	// Then the results open in ComfyUI with the very file that was read.
	if !strings.Contains(extras[0], `"extra_pnginfo"`) || !strings.Contains(extras[0], name) ||
		!strings.Contains(extras[0], "Start picture") {
		t.Errorf("the page's workflow did not go along: %s", extras[0])
	}
}

func TestPicturesBesideOneJobAreABatch(t *testing.T) {
	r := newRender(t, 0.01)
	dir, data := t.TempDir(), t.TempDir()
	page := writeText(t, filepath.Join(t.TempDir(), "i2v.json"), i2vPage)
	for i, name := range []string{"a.png", "b.png", "c.png"} {
		writePicture(t, filepath.Join(dir, name), uint8(i))
	}
	out := filepath.Join(t.TempDir(), "out")
	_, status, said := reckon(t, data, "run", "--server", r.url, "--out", out, "--json", page, dir)
	if status != exitDone {
		t.Fatalf("exit %d\n%s", status, said)
	}
	wantSheet(t, filepath.Join(out, "i2v.csv"), "a.png", "b.png", "c.png")
	graphs, _ := sentPrompts(t, r)
	names := map[string]bool{}
	for _, g := range graphs {
		names[uploadedName(t, g)] = true
	}
	if len(graphs) != 3 || len(names) != 3 {
		t.Errorf("%d prompts with %d pictures, want one for each of 3", len(graphs), len(names))
	}
}

// wantSheet reads what became of each input of a batch: all are done, each with
// one file that is there.
func wantSheet(t *testing.T, path string, inputs ...string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 1+len(inputs) || !slices.Equal(rows[0], reportColumns) {
		t.Fatalf("%q, %v", rows, err)
	}
	for i, row := range rows[1:] {
		if _, err := os.Stat(row[4]); err != nil || row[0] != inputs[i] || row[2] != "done" || row[5] == "" {
			t.Errorf("row %q of %s, %v", row, inputs[i], err)
		}
	}
}

func TestAMissingInputIsAskedForAndNothingIsSent(t *testing.T) {
	r := newRender(t, 0.01)
	data := t.TempDir()
	page := writeText(t, filepath.Join(t.TempDir(), "i2v.json"), strings.Replace(i2vPage, "start.png", "nowhere.png", 1))
	lines, status, _ := reckon(t, data, "run", "--server", r.url, "--out", filepath.Join(t.TempDir(), "out"), "--json", page)
	if status != exitFailed {
		t.Fatalf("exit %d, %v", status, kinds(lines))
	}
	if graphs, _ := sentPrompts(t, r); len(graphs) > 0 {
		t.Errorf("sent: %v", graphs)
	}
	last := lines[len(lines)-1]
	if last.Event != "job_ended" || last.Outcome != "needs_you" || last.Error == nil || last.Error.Code != "missing_input" ||
		!strings.Contains(last.Error.Text, "nowhere.png") {
		t.Errorf("the last line is %+v, %+v", last, last.Error)
	}
}

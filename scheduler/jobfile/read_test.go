package jobfile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"reckoner/scheduler/job"
	"reckoner/scheduler/jobfile"
)

func open(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func read(t testing.TB, name string) jobfile.File {
	t.Helper()
	f, err := jobfile.Read(bytes.NewReader(open(t, name)), name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return f
}

func TestReadTellsTheFactsOfAJob(t *testing.T) {
	salad := job.Cost{Width: 512, Height: 512, Steps: 40, Batch: 1}
	for name, want := range map[string]struct {
		nodes   int
		outputs string
		cost    job.Cost
		task    string
		partial bool
	}{
		"api/animatediff.json": {
			18, "44:ADE_AnimateDiffCombine 45:ADE_AnimateDiffCombine",
			job.Cost{Width: 240, Height: 512, Steps: 40, Batch: 16, FPS: 8}, job.TaskImageToVideo, false,
		},
		"api/loras.json": {
			4, "5:SaveImage", job.Cost{Width: 768, Height: 768, Steps: 20, Batch: 1}, job.TaskTextToImage, false,
		},
		"api/txt_to_image_to_video.json": {
			13, "10:SaveAnimatedWEBP 21:PreviewImage",
			job.Cost{Width: 1024, Height: 576, Frames: 25, Steps: 35, FPS: 10}, job.TaskTextToVideo, false,
		},
		"api/wan_21_13b_t2v_api.json": {
			9, "28:SaveAnimatedWEBP",
			job.Cost{Width: 832, Height: 480, Frames: 33, Steps: 30, Batch: 1, FPS: 16}, job.TaskTextToVideo, false,
		},
		"api/flux_pulid_with_attn_mask_api.json": { // steps live in a BasicScheduler; masks have sizes too
			26, "174:PreviewImage 195:MaskPreview+ 200:SaveImage",
			job.Cost{Width: 1024, Height: 768, Steps: 28, Batch: 1}, job.TaskImageToImage, false,
		},
		"api/noop_reset.json":         {2, "4:PreviewImage", job.Cost{Width: 512, Height: 512, Batch: 1}, job.TaskOther, false},
		"api/salad_multi_output.json": {11, "11:SaveImage 16:SaveImage", salad, job.TaskTextToImage, false},
		"api/salad_img2img.json": { // the size is that of the input picture
			9, "9:SaveImage", job.Cost{Steps: 15}, job.TaskImageToImage, true,
		},
		"api/cx_wan_camera_i2v.json": { // the size comes through links from another node
			14, "28:SaveAnimatedWEBP",
			job.Cost{Width: 512, Height: 512, Frames: 81, Steps: 20, Batch: 1, FPS: 16}, job.TaskImageToVideo, false,
		},
		"api/cx_wan22_i2v_14B.json": { // two samplers share one schedule: 0 to 10, 10 to the end
			15, "28:SaveAnimatedWEBP 47:SaveWEBM",
			job.Cost{Width: 768, Height: 768, Frames: 81, Steps: 20, Batch: 1, FPS: 16}, job.TaskImageToVideo, false,
		},
		"api/FlashVSR_api.json":           {6, "39:VHS_VideoCombine 40:VHS_VideoCombine", job.Cost{}, job.TaskVideoToVideo, false},
		"api/c_list_value_wrapped.json":   {2, "2:SaveImage", job.Cost{}, job.TaskOther, false},
		"wrapped/c_prompt.json":           {11, "11:SaveImage 16:SaveImage", salad, job.TaskTextToImage, false},
		"wrapped/c_prompt_as_string.json": {11, "11:SaveImage 16:SaveImage", salad, job.TaskTextToImage, false},
		"wrapped/c_output_key.json":       {11, "11:SaveImage 16:SaveImage", salad, job.TaskTextToImage, false},
		"wrapped/c_history_entry.json":    {11, "11:SaveImage 16:SaveImage", salad, job.TaskTextToImage, false},
		"broken/bom_utf8_api.json":        {11, "11:SaveImage 16:SaveImage", salad, job.TaskTextToImage, false},
		"broken/nan_is_changed_api.json":  {11, "11:SaveImage 16:SaveImage", salad, job.TaskTextToImage, false},
		"broken/json_renamed_to.png":      {11, "11:SaveImage 16:SaveImage", salad, job.TaskTextToImage, false},
		"wrapped/c_prompt_and_workflow.json": {
			15, "28:SaveAnimatedWEBP 47:SaveWEBM",
			job.Cost{Width: 768, Height: 768, Frames: 81, Steps: 20, Batch: 1, FPS: 16}, job.TaskImageToVideo, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := read(t, name)
			var outputs []string
			for _, o := range f.Facts.Outputs {
				outputs = append(outputs, o.ID+":"+o.Class)
			}
			if f.Facts.Nodes != want.nodes || strings.Join(outputs, " ") != want.outputs {
				t.Errorf("got %d nodes with outputs %q, want %d with %q", f.Facts.Nodes, outputs, want.nodes, want.outputs)
			}
			if f.Facts.Cost != want.cost || f.Type.Cost != want.cost {
				t.Errorf("cost %+v and of its type %+v, want %+v", f.Facts.Cost, f.Type.Cost, want.cost)
			}
			if f.Type.Task != want.task || f.Type.Partial != want.partial || len(f.Type.Key) != 32 {
				t.Errorf("type %+v, want %s, partial %v and a key of 32", f.Type, want.task, want.partial)
			}
			if f.Format != jobfile.FormatAPI {
				t.Errorf("format %q", f.Format)
			}
		})
	}
}

func TestReadRefusesWhatIsNoJobAndNamesIt(t *testing.T) {
	for name, want := range map[string]job.Args{
		"broken/empty.json":                  {},
		"broken/whitespace.json":             {},
		"broken/bare_object.json":            {Value: "empty_object"},
		"broken/bare_array.json":             {Value: "empty_list"},
		"broken/bare_null.json":              {Value: "null"},
		"broken/bare_number.json":            {Value: "number"},
		"broken/bare_string.json":            {Value: "string"},
		"broken/truncated_api.json":          {Count: 103},
		"broken/truncated_ui_midstring.json": {Count: 43},
		"broken/latin1_bytes.json":           {Count: 29, Value: "not_utf8"},
		"broken/trailing_comma.json":         {Count: 182},
		"broken/missing_class_type.json":     {Node: "3"},
		"broken/cycle.json":                  {Node: "3", Class: "KSampler"},
		"broken/no_output_node.json":         {Count: 9},
		"broken/a1111_parameters_only.png":   {Value: "png"},
		"broken/png_truncated_in_text.png":   {Value: "png", Count: 1},
		"broken/png_giant_chunk_length.png":  {Value: "png", Count: 1},
		"api/pydn_unsafe_kwargs.json":        {Count: 3},
		"api/pydn_windows_path.json":         {Count: 1},
		"ui/cx_wan22_i2v_14B.json":           {},
		"ui/c2g_zimage_subgraph.json":        {},
		"wrapped/c_input_workflow_ui.json":   {},
		"media/cx_input_no_metadata.png":     {Value: "png"},
		"media/c_png_ztxt.png":               {Value: "png", Count: 1},
		"media/c_apng_comf_chunk.png":        {Value: "png", Count: 1},
		"media/c_no_metadata.mp4":            {Value: "mp4"},
		"media/c_tags.mp3":                   {Value: "mp3", Count: 1},
	} {
		t.Run(name, func(t *testing.T) {
			e := refusal(t, open(t, name), name)
			if got, wantCode := e.Code, refusalCode(name); got != wantCode {
				t.Errorf("code %q, want %q", got, wantCode)
			}
			got := e.Args
			if got.File != name {
				t.Errorf("file %q, want %q", got.File, name)
			}
			got.File, got.Detail = "", ""
			if !reflect.DeepEqual(got, want) {
				t.Errorf("arguments %+v, want %+v", got, want)
			}
		})
	}
}

// refusalCode is the code that each file of TestReadRefuses… must give.
func refusalCode(name string) string {
	switch base := name[strings.Index(name, "/")+1:]; {
	case strings.HasPrefix(name, "ui/") || base == "c_input_workflow_ui.json":
		return job.ErrUIFormat
	case strings.HasPrefix(name, "media/"):
		return job.ErrPicture
	case strings.HasPrefix(base, "bare"):
		return job.ErrNotWorkflow
	case strings.HasPrefix(base, "pydn") || base == "no_output_node.json":
		return job.ErrNoOutputNode
	case base == "empty.json" || base == "whitespace.json":
		return job.ErrEmptyFile
	case strings.HasPrefix(base, "truncated") || strings.HasPrefix(base, "png_"):
		return job.ErrTruncated
	case base == "latin1_bytes.json" || base == "trailing_comma.json":
		return job.ErrNotJSON
	case base == "missing_class_type.json":
		return job.ErrNoClass
	case base == "cycle.json":
		return job.ErrCycle
	case base == "a1111_parameters_only.png":
		return job.ErrA1111
	}
	return "a case is missing here"
}

func refusal(t *testing.T, data []byte, name string) *job.Error {
	t.Helper()
	_, err := jobfile.Read(bytes.NewReader(data), name)
	e, ok := errors.AsType[*job.Error](err)
	if !ok {
		t.Fatalf("error %v, want a *job.Error", err)
	}
	return e
}

func TestReadRefusesTextsByWhatTheyAre(t *testing.T) {
	save := `"9":{"class_type":"SaveImage","inputs":{"images":["1",0]}}`
	for _, c := range []struct{ name, text, code, value string }{
		{"parameters of another program", "a cat\nNegative prompt: dog\nSteps: 20, Sampler: Euler a, CFG scale: 7", job.ErrA1111, "text"},
		{"a web page", "<!DOCTYPE html><html></html>", job.ErrNotWorkflow, "html"},
		{"a drawing", `<?xml version="1.0"?><svg></svg>`, job.ErrPicture, "svg"},
		{"an archive", "PK\x03\x04...", job.ErrNotWorkflow, "zip"},
		{"weights", "\x10\x00\x00\x00\x00\x00\x00\x00{\"a\":1}       ", job.ErrNotWorkflow, "safetensors"},
		{"prose", "hello there", job.ErrNotJSON, ""},
		{"two values", "{} {}", job.ErrNotJSON, ""},
		{"other JSON", `{"name":"x","version":"1"}`, job.ErrNotWorkflow, "object"},
		{"nested too deep", strings.Repeat("[", 300) + strings.Repeat("]", 300), job.ErrNotWorkflow, "too_deep"},
		{"wrapped too deep", strings.Repeat("[", 9) + strings.Repeat("]", 9), job.ErrNotWorkflow, "too_deep"},
		{"two history entries", `{"a":{"prompt":[]},"b":{"prompt":[]}}`, job.ErrNotWorkflow, "several"},
		{"inputs as a list", `{"1":{"class_type":"X","inputs":[1]}}`, job.ErrNotWorkflow, "bad_inputs"},
		{"a link to nowhere", "{" + save + "}", job.ErrDangling, "1"},
		{"a stray value among the nodes", "{" + save + `,"v":1}`, job.ErrNoClass, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := refusal(t, []byte(c.text), "x.json")
			if e.Code != c.code || e.Args.Value != c.value {
				t.Errorf("got %s of %q, want %s of %q", e.Code, e.Args.Value, c.code, c.value)
			}
		})
	}
}

func TestReadKeepsOrderAndEveryDigit(t *testing.T) {
	f := read(t, "api/c_seed_beyond_2p53.json")
	var want bytes.Buffer
	if err := json.Compact(&want, open(t, "api/c_seed_beyond_2p53.json")); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(f.Graph.Raw, want.Bytes()) {
		t.Errorf("what would be sent differs from the file:\n%s", f.Graph.Raw)
	}
	if !bytes.Contains(f.Graph.Raw, []byte("18446744073709551615")) {
		t.Error("the seed of 2^64-1 is gone")
	}
	if f.Graph.Nodes[0].ID != "3" || f.Graph.Nodes[1].ID != "4" {
		t.Errorf("nodes begin with %s, %s, not in the file's order", f.Graph.Nodes[0].ID, f.Graph.Nodes[1].ID)
	}
}

func TestReadRepairsOnlyWhatHarmsAServer(t *testing.T) {
	const end = `"9":{"class_type":"PreviewImage","inputs":{"images":["1",0]}}`
	for _, c := range []struct{ name, in, out, code string }{
		{
			"a node without inputs, which stops a server's worker for good",
			`{"1":{"class_type":"Gen"},` + end + `}`, `{"1":{"class_type":"Gen","inputs":{}},` + end + `}`, job.WarnNoInputs,
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
			`{"1":{"inputs":{},"class_type":"Gen"},"2":{"inputs":{},"class_type":"CLIPLoader"},` + end + `}`, job.WarnUnneeded,
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

func TestReadUnderstandsUTF16(t *testing.T) {
	plain := `{"1":{"class_type":"Gen","inputs":{}},"9":{"class_type":"SaveImage","inputs":{"images":["1",0],"p":"é🎬"}}}`
	for name, encode := range map[string]func(string) []byte{
		"little endian with mark": func(s string) []byte { return append([]byte("\xff\xfe"), utf16le(s)...) },
		"little endian":           utf16le,
	} {
		f, err := jobfile.Read(bytes.NewReader(encode(plain)), "x.json")
		if err != nil || string(f.Graph.Raw) != plain {
			t.Errorf("%s: got %s, %v", name, f.Graph.Raw, err)
		}
	}
}

func utf16le(s string) []byte {
	var out []byte
	for _, r := range s {
		if r > 0xffff {
			r -= 0x10000
			hi, lo := 0xd800+r>>10, 0xdc00+r&0x3ff
			out = append(out, byte(hi), byte(hi>>8), byte(lo), byte(lo>>8))
			continue
		}
		out = append(out, byte(r), byte(r>>8))
	}
	return out
}

func TestReadKeepsThePagesOwnGraphOfAWrapper(t *testing.T) {
	if f := read(t, "wrapped/c_prompt_and_workflow.json"); !bytes.Contains(f.Workflow, []byte(`"nodes":[`)) {
		t.Errorf("workflow beside the prompt is %.40q", f.Workflow)
	}
	if f := read(t, "wrapped/c_prompt.json"); f.Workflow != nil {
		t.Errorf("a workflow out of nowhere: %.40q", f.Workflow)
	}
}

func TestReadNamesTheInputFilesAndModels(t *testing.T) {
	f := read(t, "api/cx_flux2.json")
	want := []jobfile.MediaInput{
		{Node: "42", Class: "LoadImage", Name: "image", File: "fennec_girl_sing.png"},
		{Node: "46", Class: "LoadImage", Name: "image", File: "sunset.png"},
	}
	if !reflect.DeepEqual(f.Facts.Inputs, want) { // both were bypassed: no output needs them
		t.Errorf("inputs %+v, want %+v", f.Facts.Inputs, want)
	}
	models := []string{"flux2-vae.safetensors", "flux2_dev_fp8mixed.safetensors", "mistral_3_small_flux2_fp8.safetensors"}
	if !reflect.DeepEqual(f.Facts.Models, models) {
		t.Errorf("models %q, want %q", f.Facts.Models, models)
	}
	camera := read(t, "api/cx_wan_camera_i2v.json")
	if in := camera.Facts.Inputs; len(in) != 1 || !in[0].Needed || in[0].File != "flux_dev_example.png" {
		t.Errorf("inputs %+v, want flux_dev_example.png, needed", in)
	}
}

func TestReadIsBounded(t *testing.T) {
	endless := io.LimitReader(zeros{}, jobfile.MaxBytes+10)
	_, err := jobfile.Read(endless, "big.json")
	if job.CodeOf(err) != job.ErrFileTooLarge {
		t.Errorf("error %v, want %s", err, job.ErrFileTooLarge)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestReadTellsTroubleWithTheReader(t *testing.T) {
	cause := errors.New("the disk went away")
	_, err := jobfile.Read(iotest.ErrReader(cause), "x.json")
	if job.CodeOf(err) != job.ErrUnreadable || !errors.Is(err, cause) {
		t.Errorf("error %v, want %s with its cause", err, job.ErrUnreadable)
	}
	dir, openErr := os.Open(t.TempDir())
	if openErr != nil {
		t.Fatal(openErr)
	}
	defer func() { _ = dir.Close() }()
	if _, err := jobfile.Read(dir, "folder"); job.CodeOf(err) != job.ErrFolder {
		t.Errorf("reading a folder gives %v, want %s", err, job.ErrFolder)
	}
}

func TestTitleIsTheBareNameOfTheFile(t *testing.T) {
	data := open(t, "api/noop_reset.json")
	for name, want := range map[string]string{
		"/a/b/beach-walk.json": "beach-walk", `C:\jobs\old town.api.json`: "old town.api", ".json": ".json",
	} {
		f, err := jobfile.Read(bytes.NewReader(data), name)
		if err != nil || f.Title != want {
			t.Errorf("title of %q is %q, want %q (%v)", name, f.Title, want, err)
		}
	}
}

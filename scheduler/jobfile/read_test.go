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
			job.Cost{Width: 240, Height: 512, Steps: 40, Batch: 16, FPS: 8},
			job.TaskImageToVideo, false,
		},
		"api/loras.json": {
			4, "5:SaveImage", job.Cost{Width: 768, Height: 768, Steps: 20, Batch: 1}, job.TaskTextToImage, false,
		},
		"api/txt_to_image_to_video.json": {
			13, "10:SaveAnimatedWEBP 21:PreviewImage",
			job.Cost{Width: 1024, Height: 576, Frames: 25, Steps: 35, FPS: 10},
			job.TaskTextToVideo, false,
		},
		"api/wan_21_13b_t2v_api.json": {
			9, "28:SaveAnimatedWEBP",
			job.Cost{Width: 832, Height: 480, Frames: 33, Steps: 30, Batch: 1, FPS: 16},
			job.TaskTextToVideo, false,
		},
		"api/flux_pulid_with_attn_mask_api.json": { // steps live in a BasicScheduler; masks have sizes too
			26, "174:PreviewImage 195:MaskPreview+ 200:SaveImage",
			job.Cost{Width: 1024, Height: 768, Steps: 28, Batch: 1},
			job.TaskImageToImage, false,
		},
		"api/noop_reset.json": {
			2, "4:PreviewImage", job.Cost{Width: 512, Height: 512, Batch: 1}, job.TaskOther, false,
		},
		"api/salad_multi_output.json": {11, "11:SaveImage 16:SaveImage", salad, job.TaskTextToImage, false},
		"api/salad_img2img.json": { // the size is that of the input picture
			9, "9:SaveImage", job.Cost{Steps: 15}, job.TaskImageToImage, true,
		},
		"api/cx_wan_camera_i2v.json": { // the size comes through links from another node
			14, "28:SaveAnimatedWEBP",
			job.Cost{Width: 512, Height: 512, Frames: 81, Steps: 20, Batch: 1, FPS: 16},
			job.TaskImageToVideo, false,
		},
		"api/cx_wan22_i2v_14B.json": { // two samplers share one schedule: 0 to 10, 10 to the end
			15, "28:SaveAnimatedWEBP 47:SaveWEBM",
			job.Cost{Width: 768, Height: 768, Frames: 81, Steps: 20, Batch: 1, FPS: 16},
			job.TaskImageToVideo, false,
		},
		"api/FlashVSR_api.json": {
			6, "39:VHS_VideoCombine 40:VHS_VideoCombine", job.Cost{}, job.TaskVideoToVideo, false,
		},
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
			job.Cost{Width: 768, Height: 768, Frames: 81, Steps: 20, Batch: 1, FPS: 16},
			job.TaskImageToVideo, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := read(t, name)
			var outputs []string
			for _, o := range f.Facts.Outputs {
				outputs = append(outputs, o.ID+":"+o.Class)
			}
			if f.Facts.Nodes != want.nodes || strings.Join(outputs, " ") != want.outputs {
				t.Errorf("got %d nodes with outputs %q, want %+v", f.Facts.Nodes, outputs, want)
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

func TestReadUnderstandsUTF16(t *testing.T) {
	plain := `{"1":{"class_type":"Gen","inputs":{}},` +
		`"9":{"class_type":"SaveImage","inputs":{"images":["1",0],"p":"é🎬"}}}`
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
		{Node: "42", Class: "LoadImage", Name: "image", File: "fennec_girl_sing.png", Title: "Load Image", Takes: "image"},
		{Node: "46", Class: "LoadImage", Name: "image", File: "sunset.png", Title: "Load Image", Takes: "image"},
	}
	if !reflect.DeepEqual(f.Facts.Inputs, want) { // both were bypassed: no output needs them
		t.Errorf("inputs %+v, want %+v", f.Facts.Inputs, want)
	}
	models := []string{
		"flux2-vae.safetensors", "flux2_dev_fp8mixed.safetensors",
		"mistral_3_small_flux2_fp8.safetensors",
	}
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

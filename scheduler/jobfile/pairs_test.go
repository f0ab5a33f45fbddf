package jobfile_test

import (
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"reckoner/scheduler/job"
	"reckoner/scheduler/jobfile"
)

// The reasons why what is made of a workflow today may differ from what a page
// once sent. Whatever else differs is wrong.
const (
	// pageExtra: older pages sent the value of a button or a preview as well.
	// No node takes it, and newer pages leave it out.
	pageExtra = "an extra of an older page"
	// newInput: the server has an input that is younger than the file. The page
	// would fill it with the default too; the file says nothing, so it is told.
	newInput = "an input younger than the file"
	// otherIDs: an older page chose ids as it liked for the nodes of a group.
	otherIDs = "ids of a group's nodes"
	// otherJob: the two files were saved at different times.
	otherJob = "the files are not the same job"
)

// verdict is what becomes of a workflow whose job, as ComfyUI's page made it, is
// known. Without explained and refused it is that job, digit for digit.
type verdict struct {
	explained []string          // why it differs from the page's job
	ids       map[string]string // ours to the page's
	changed   []string          // what is another job, by node and what changed
	refused   []string          // classes that the server lacks
}

var verdicts = map[string]verdict{
	"cubiq_compare_samplers": {},
	"cubiq_upscale_pixel":    {},
	"cx_area_32nodes":        {},
	"cx_cascade_inpaint_groupnode": {
		explained: []string{pageExtra, otherIDs},
		ids:       map[string]string{"68:0": "62", "68:1": "66", "68:2": "64", "68:3": "61", "68:5": "60"},
	},
	"cx_flux2":                            {explained: []string{newInput}},
	"cx_flux_kontext":                     {},
	"cx_hunyuan_dit_cn":                   {},
	"cx_ltxv_i2v_095":                     {explained: []string{pageExtra}},
	"cx_model_merging_cosxl":              {},
	"cx_sdxl_edit_groupnode":              {explained: []string{pageExtra, newInput}},
	"cx_sdxl_refiner_prompt":              {},
	"cx_sdxl_simple":                      {},
	"cx_sdxlturbo":                        {explained: []string{newInput}},
	"cx_wan22_i2v_14B":                    {},
	"cx_wan22_i2v_5B":                     {explained: []string{pageExtra}},
	"cx_wan_camera_i2v":                   {},
	"replicate_flux_fp8":                  {},
	"replicate_was_autumnal_gradient_map": {},
	"replicate_was_clipseg_basic": {
		explained: []string{otherJob}, changed: []string{"17: PreviewImage, not SaveImage"},
	},
	"rgthree_context": {},

	"replicate_attention_couple": {refused: []string{"Attention couple"}},
	"replicate_b_lora":           {refused: []string{"LoadBLoRA"}},
	"replicate_bria_rmbg":        {refused: []string{"BRIA_RMBG_ModelLoader_Zho", "BRIA_RMBG_Zho", "LoRA Stacker"}},
	"replicate_brushnet_basic": {refused: []string{
		"BRIA_RMBG_ModelLoader_Zho", "BRIA_RMBG_Zho", "BrushNet", "BrushNetLoader",
	}},
	"replicate_instantid_default": {refused: []string{
		"ApplyInstantID", "FaceKeypointsPreprocessor", "InstantIDFaceAnalysis", "InstantIDModelLoader",
	}},
	"replicate_layer_diffuse": {refused: []string{"LayeredDiffusionApply", "LayeredDiffusionDecodeRGBA"}},
	"replicate_video_matting": {refused: []string{"Robust Video Matting"}},
}

// TestConvertMakesWhatThePageMade converts workflows and compares each with what
// ComfyUI's page made of it: node for node, input for input, digit for digit.
// The figures are those that the package promises.
func TestConvertMakesWhatThePageMade(t *testing.T) {
	files, err := filepath.Glob("testdata/pairs/*.ui.json")
	if err != nil || len(files) != len(verdicts) {
		t.Fatalf("%d files, %d verdicts, %v", len(files), len(verdicts), err)
	}
	server := classes(t)
	var exact, explained, refused, wrong int
	for _, name := range slices.Sorted(maps.Keys(verdicts)) {
		want := verdicts[name]
		switch {
		case !t.Run(name, func(t *testing.T) { judge(t, server, name, want) }):
			wrong++
		case want.refused != nil:
			refused++
		case want.explained != nil:
			explained++
		default:
			exact++
		}
	}
	t.Logf("%d pairs: %d exact, %d explained, %d refused, %d wrong", len(files), exact, explained, refused, wrong)
	if exact != 13 || explained != 7 || refused != 7 || wrong != 0 {
		t.Errorf("want 13 exact, 7 explained, 7 refused, 0 wrong")
	}
}

func judge(t *testing.T, server job.Classes, name string, want verdict) {
	// given a workflow in the page's format
	ui := read(t, "pairs/"+name+".ui.json")
	if ui.Format != jobfile.FormatUI || !ui.NeedsClasses() {
		t.Fatalf("format %q, needs classes: %v", ui.Format, ui.NeedsClasses())
	}
	// when it is converted for a server
	got, err := ui.Convert(server)
	// then it is what the page sent, or differs for a reason, or is refused
	if want.refused != nil {
		e, ok := errors.AsType[*job.Error](err)
		if !ok || e.Code != job.ErrUnknownClass || !reflect.DeepEqual(slices.Sorted(slices.Values(e.Args.Allowed)), want.refused) {
			t.Errorf("got %+v, want refused for %q", err, want.refused)
		}
		return
	}
	if err != nil {
		t.Fatalf("%v %+v", err, err)
	}
	sent := read(t, "pairs/"+name+".api.json")
	c := comparison{ids: want.ids, server: server, why: map[string]bool{}}
	c.compare(got.Graph, sent.Graph)
	if !reflect.DeepEqual(c.wrong, want.changed) {
		t.Errorf("differs: %q, want %q", c.wrong, want.changed)
	}
	if want.changed != nil {
		c.why[otherJob] = true
	}
	if why := slices.Sorted(maps.Keys(c.why)); !reflect.DeepEqual(why, want.explained) {
		t.Errorf("differs for %q, want %q", why, want.explained)
	}
	if told := slices.ContainsFunc(got.Warnings, isDefaults); told != c.why[newInput] {
		t.Errorf("told of defaults: %v, took some: %v", told, c.why[newInput])
	}
	if got.Type.Key != sent.Type.Key && !c.why[newInput] && want.changed == nil {
		t.Errorf("type %+v, want %+v", got.Type, sent.Type)
	}
}

func isDefaults(s job.Say) bool { return s.Code == job.WarnDefaults }

// comparison holds a graph that was made against one that the page sent.
type comparison struct {
	ids    map[string]string
	server job.Classes
	why    map[string]bool
	wrong  []string
}

func (c *comparison) id(ours string) string {
	theirs, ok := c.ids[ours]
	if !ok {
		return ours
	}
	c.why[otherIDs] = true
	return theirs
}

func (c *comparison) compare(got, want job.Graph) {
	left := map[string]job.Node{}
	for _, n := range want.Nodes {
		left[n.ID] = n
	}
	for _, n := range got.Nodes {
		w, ok := left[c.id(n.ID)]
		if !ok {
			c.wrong = append(c.wrong, n.ID+": not there")
			continue
		}
		delete(left, w.ID)
		if w.Class != n.Class {
			c.wrong = append(c.wrong, n.ID+": "+n.Class+", not "+w.Class)
			continue
		}
		c.compareInputs(n, w)
	}
	for id := range left {
		c.wrong = append(c.wrong, id+": is missing")
	}
}

func (c *comparison) compareInputs(got, want job.Node) {
	for _, in := range got.Inputs {
		sent, ok := want.Input(in.Name)
		switch {
		case !ok && c.isDefault(got.Class, in):
			c.why[newInput] = true
		case !ok:
			c.wrong = append(c.wrong, got.ID+": "+in.Name+" was not sent")
		case !c.same(in, sent):
			c.wrong = append(c.wrong, got.ID+": "+in.Name+" is "+string(in.Value)+", not "+string(sent.Value))
		}
	}
	for _, in := range want.Inputs {
		_, made := got.Input(in.Name)
		taken := slices.ContainsFunc(c.server[want.Class].Inputs, func(of job.ClassInput) bool { return of.Name == in.Name })
		switch {
		case made:
		case !taken && (in.Name == "upload" || in.Name == "video-preview"):
			c.why[pageExtra] = true
		default:
			c.wrong = append(c.wrong, got.ID+": lacks "+in.Name)
		}
	}
}

// isDefault tells whether a value is the one that a new node has: the server's
// default, or the first choice.
func (c *comparison) isDefault(class string, in job.Input) bool {
	at := slices.IndexFunc(c.server[class].Inputs, func(of job.ClassInput) bool { return of.Name == in.Name })
	if at < 0 || in.Link != nil {
		return false
	}
	of := c.server[class].Inputs[at]
	if of.Default != nil {
		return string(in.Value) == string(of.Default)
	}
	return len(of.Choices) > 0 && string(in.Value) == `"`+of.Choices[0]+`"`
}

// same tells whether two inputs are the same: 1 and 1.0 are one number, which a
// server writes the one way and a page the other.
func (c *comparison) same(got, want job.Input) bool {
	if got.Link != nil && want.Link != nil {
		return c.id(got.Link.Node) == want.Link.Node && got.Link.Slot == want.Link.Slot
	}
	return got.Link == nil && want.Link == nil && plain(got.Value) == plain(want.Value)
}

func plain(v json.RawMessage) string { return strings.TrimSuffix(string(v), ".0") }

package sim

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
)

func TestRoutes(t *testing.T) {
	const trouble = "500 Internal Server Error\n\nServer got itself in trouble"
	const empty = `{"queue_running": [], "queue_pending": []}`
	cases := []struct {
		method, path, body string
		headers            []string
		status             int
		want               string
	}{
		{"GET", "/prompt", "", nil, 200, `{"exec_info": {"queue_remaining": 0}}`},
		{"GET", "/api/prompt", "", nil, 200, `{"exec_info": {"queue_remaining": 0}}`},
		{"GET", "/queue", "", nil, 200, empty},
		{"GET", "/features", "", nil, 200, `{"supports_preview_metadata": true, "max_upload_size": 104857600}`},
		{"GET", "/history", "", nil, 200, `{}`},
		{"GET", "/history/none", "", nil, 200, `{}`},
		{"GET", "/history?max_items=x", "", nil, 500, trouble},
		{"GET", "/object_info/NoSuch", "", nil, 200, `{}`},
		{"GET", "/embeddings", "", nil, 200, `[]`},
		{"GET", "/models/vae", "", nil, 200, "*"},
		{"GET", "/models/nonsense", "", nil, 404, ""},
		{"GET", "/nothing", "", nil, 404, ""},
		{"GET", "/api/jobs", "", nil, 404, ""},
		{"POST", "/nothing", "", nil, 405, "405: Method Not Allowed"},
		{"PUT", "/prompt", "", nil, 405, "405: Method Not Allowed"},
		{"OPTIONS", "/prompt", "", nil, 200, ""},
		{"POST", "/prompt", "{broken", nil, 500, trouble},
		{"POST", "/prompt", `{"prompt": {}, "number": "x"}`, nil, 500, trouble},
		{"POST", "/prompt", `{"prompt": {"last_node_id": 9}}`, nil, 500, trouble},
		{"POST", "/queue", `{"clear": true, "delete": ["a"]}`, nil, 200, ""},
		{"POST", "/queue", "", nil, 500, trouble},
		{"POST", "/history", `{"delete": ["a"]}`, nil, 200, ""},
		{"POST", "/free", `{"unload_models": true}`, nil, 200, ""},
		{"POST", "/interrupt", "", nil, 200, ""},
		{"POST", "/interrupt", "nonsense", nil, 200, ""},
		{"POST", "/interrupt", `[1]`, nil, 500, trouble},
		{"GET", "/view", "", nil, 404, ""},
		{"GET", "/view?filename=", "", nil, 400, ""},
		{"GET", "/view?filename=/etc/passwd", "", nil, 400, ""},
		{"GET", "/view?filename=../x", "", nil, 400, ""},
		{"GET", "/view?filename=x.png&type=nonsense", "", nil, 400, ""},
		{"GET", "/view?filename=x.png&subfolder=../../etc", "", nil, 403, ""},
		{"GET", "/view?filename=x.png&subfolder=/etc", "", nil, 403, ""},
		{"GET", "/view?filename=x.png", "", nil, 404, ""},
		{"GET", "/queue", "", []string{"Origin", "http://evil.example"}, 403, ""},
		{"GET", "/queue", "", []string{"Origin", "http://localhost:8188"}, 403, ""},
		{"GET", "/queue", "", []string{"Origin", "http://127.0.0.1:8188"}, 200, empty},
		{"GET", "/queue", "", []string{"Origin", "null"}, 200, empty},
		{"GET", "/ws", "", nil, 400, "*"},
	}
	synctest.Test(t, func(t *testing.T) {
		r := start(t, oneServer(nil), Options{})
		defer r.stop()
		for _, c := range cases {
			a := r.do("s", c.method, c.path, c.body, c.headers...)
			if a.status != c.status || (c.want != "*" && a.body != c.want) {
				t.Errorf("%s %s %s %v: %d %q, want %d %q",
					c.method, c.path, c.body, c.headers, a.status, a.body, c.status, c.want)
			}
		}
		stats := r.get("s", "/system_stats").object(t)
		if got := stats.object("system").text("comfyui_version"); got != "0.3.64" {
			t.Errorf("version %q", got)
		}
	})
}

func TestRefusals(t *testing.T) {
	node := func(class, inputs string) string {
		return fmt.Sprintf(`{"1": {"class_type": %q, "inputs": {%s}},
			"2": {"class_type": "PreviewImage", "inputs": {"images": ["1", 0]}}}`, class, inputs)
	}
	cases := []struct{ name, body, want string }{
		{
			"too small", `{"prompt": ` + node("EmptyImage", `"width": 0, "height": 8, "batch_size": 1, "color": 0`) + `}`,
			`"type": "value_smaller_than_min", "message": "Value 0 smaller than min of 1", "details": "width"`,
		},
		{
			"too big", `{"prompt": ` + node("EmptyImage", `"width": 99999, "height": 8, "batch_size": 1, "color": 0`) + `}`,
			`"type": "value_bigger_than_max", "message": "Value 99999 bigger than max of 16384"`,
		},
		{
			"missing model", `{"prompt": {"1": {"class_type": "VAELoader", "inputs": {"vae_name": "no.thing"}},
			"2": {"class_type": "VAEDecode", "inputs": {"vae": ["1", 0], "samples": ["3", 0]}},
			"3": {"class_type": "EmptyLatentImage", "inputs": {"width": 64, "height": 64, "batch_size": 1}},
			"4": {"class_type": "SaveImage", "inputs": {"images": ["2", 0], "filename_prefix": "x"}}}}`,
			`"details": "vae_name: 'no.thing' not in ['wan_2.1_vae.safetensors', `,
		},
		{
			"wrong type", `{"prompt": ` + node("EmptyLatentImage", `"width": 64, "height": 64, "batch_size": 1`) + `}`,
			`"details": "images, received_type(LATENT) mismatch input_type(IMAGE)"`,
		},
		{
			"link to nowhere", `{"prompt": {"2": {"class_type": "PreviewImage", "inputs": {"images": ["77", 0]}}}}`,
			`"type": "exception_during_validation", "message": "Exception when validating node", "details": "'77'"`,
		},
		{
			"bad link", `{"prompt": {"2": {"class_type": "PreviewImage", "inputs": {"images": ["77"]}}}}`,
			`"type": "bad_linked_input"`,
		},
		{
			"no class", `{"prompt": {"2": {"inputs": {}}}}`,
			"Cannot execute because a node is missing the class_type property.",
		},
		{"a text", `{"prompt": {"id": "abc", "nodes": []}}`, `"details": "Node ID '#id'"`},
		{"no targets", `{"prompt": ` + node("EmptyImage", `"width": 8, "height": 8, "batch_size": 1, "color": 0`) +
			`, "partial_execution_targets": []}`, `"prompt_no_outputs"`},
		{
			"a circle", `{"prompt": {"1": {"class_type": "InvertMask", "inputs": {"mask": ["2", 0]}},
			"2": {"class_type": "InvertMask", "inputs": {"mask": ["1", 0]}},
			"3": {"class_type": "PreviewImage", "inputs": {"images": ["4", 0]}},
			"4": {"class_type": "ImageScaleBy", "inputs": {"image": ["4", 0], "upscale_method": "area", "scale_by": 1}}}}`,
			`"details": "", "extra_info": {}}, "node_errors": {}}`,
		},
	}
	synctest.Test(t, func(t *testing.T) {
		r := start(t, oneServer(nil), Options{})
		defer r.stop()
		for _, c := range cases {
			a := r.do("s", "POST", "/prompt", c.body)
			if a.status != 400 || !strings.Contains(a.body, c.want) {
				t.Errorf("%s: %d %s, want 400 with %s", c.name, a.status, a.body, c.want)
			}
		}
	})
}

// A prompt with one good and one bad output runs the good one and says so.
func TestPartlyRefusedPromptRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, oneServer(nil), Options{})
		defer r.stop()
		a := r.do("s", "POST", "/prompt", `{"prompt": {
			"1": {"class_type": "EmptyImage", "inputs": {"width": "64", "height": 64, "batch_size": 1, "color": 0}},
			"2": {"class_type": "PreviewImage", "inputs": {"images": ["1", 0]}},
			"3": {"class_type": "SaveImage", "inputs": {"images": ["1", 0]}}}}`)
		if a.status != 200 || !strings.Contains(a.body, `"required_input_missing"`) {
			t.Fatalf("%d %s", a.status, a.body)
		}
		r.wait(5)
		last, record := r.ended("s", a.object(t).text("prompt_id"))
		outputs := record.object("outputs").keys
		if last != "execution_success" || len(outputs) != 1 || outputs[0] != "2" {
			t.Errorf("ended with %s and outputs %v, want success and only node 2", last, outputs)
		}
	})
}

func TestStockWorkflowsAreAccepted(t *testing.T) {
	files, err := filepath.Glob("testdata/workflows/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no workflows: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		r := start(t, oneServer(func(s *ServerSpec) { s.Uploads = []string{"start.png"} }), Options{})
		defer r.stop()
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			a := r.do("s", "POST", "/prompt", `{"prompt": `+string(b)+`}`)
			if a.status != 200 || !strings.HasSuffix(a.body, `"node_errors": {}}`) {
				t.Errorf("%s: %d %s", filepath.Base(file), a.status, a.body)
			}
		}
	})
}

func TestUploadsAreNumberedAndFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, oneServer(nil), Options{})
		defer r.stop()
		for _, c := range []struct {
			name, content string
			fields        []string
			status        int
			want          string
		}{
			{"a.png", "one", nil, 200, `{"name": "a.png", "subfolder": "", "type": "input"}`},
			{"a.png", "one", nil, 200, `{"name": "a.png", "subfolder": "", "type": "input"}`},
			{"a.png", "two", nil, 200, `{"name": "a (1).png", "subfolder": "", "type": "input"}`},
			{"a.png", "three", []string{"overwrite", "True"}, 200, `{"name": "a (2).png", "subfolder": "", "type": "input"}`},
			{
				"a.png", "four",
				[]string{"overwrite", "true", "subfolder", "s"},
				200,
				`{"name": "a.png", "subfolder": "s", "type": "input"}`,
			},
			{"a.png", "x", []string{"type", "elsewhere"}, 500, "500 Internal Server Error\n\nServer got itself in trouble"},
			{"a.png", "x", []string{"subfolder", "../.."}, 400, ""},
			{"", "x", nil, 400, ""},
		} {
			body, kind := multipartBody(c.name, c.content, c.fields...)
			a := r.do("s", "POST", "/upload/image", body, "Content-Type", kind)
			if a.status != c.status || a.body != c.want {
				t.Errorf("upload %s %v: %d %q, want %d %q", c.name, c.fields, a.status, a.body, c.status, c.want)
			}
		}
		if got := r.get("s", "/view?filename=a.png&type=input&subfolder=s").body; got != "four" {
			t.Errorf("the file holds %q", got)
		}
		ranged := r.do("s", "GET", "/view?filename=a.png&type=input", "", "Range", "bytes=1-")
		if ranged.status != 206 || ranged.body != "ne" {
			t.Errorf("range: %d %q", ranged.status, ranged.body)
		}
		head := r.do("s", "HEAD", "/view?filename=a.png&type=input", "")
		if head.status != 200 || head.header.Get("Content-Length") != "3" {
			t.Errorf("head: %d, length %s", head.status, head.header.Get("Content-Length"))
		}
	})
}

package sim

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The recordings of one version were made one after the other on one server, so
// that counters and file names go on from one to the next. They are replayed in
// the same order.
var recorded = []string{
	"success", "cached", "interrupt_targeted", "interrupt_stubborn", "error", "invalid", "own_id", "delete_pending",
	"reconnect", "two_sockets", "misc", "cancel_api", "upload",
}

type entry struct {
	T       float64
	Kind    string
	Client  string
	Method  string
	Path    string
	Status  int
	Request json.RawMessage
	Reply   json.RawMessage
	Msg     json.RawMessage
}

// TestReplayOfRecordings sends what was sent to real servers, at the same
// moments, and wants what they answered: every reply and every message of every
// socket, in order. Only ids that the server makes, stamps and the machine's own
// figures may differ.
func TestReplayOfRecordings(t *testing.T) {
	for _, version := range recordedVersions {
		t.Run(version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := start(t, oneServer(nil), Options{Protocol: version})
				defer r.stop()
				ids := map[string]string{} // the recordings' prompt ids to ours
				for _, name := range recorded {
					file := filepath.Join("testdata", "traces", version, name+".jsonl")
					if _, err := os.Stat(file); err != nil && name == "cancel_api" {
						continue
					}
					r.replay(t, name, readTrace(t, file), ids)
				}
			})
		})
	}
}

func readTrace(t *testing.T, file string) []entry {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []entry
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

func (r *rig) replay(t *testing.T, name string, trace []entry, ids map[string]string) {
	t.Helper()
	begin := time.Now()
	sockets, want := map[string]*listener{}, map[string][]string{}
	for _, e := range trace {
		if d := time.Duration(e.T*float64(time.Second)) - time.Since(begin); d > 0 {
			time.Sleep(d)
		}
		synctest.Wait()
		switch e.Kind {
		case "ws":
			want[e.Client] = append(want[e.Client], string(e.Msg))
			if sockets[e.Client] == nil {
				sid := regexp.MustCompile(`"sid": "([^"]*)"`).FindSubmatch(e.Msg)
				sockets[e.Client] = r.listen(string(sid[1]))
			}
		case "http":
			r.replayRequest(t, name, e, ids)
		}
	}
	time.Sleep(time.Minute)
	synctest.Wait()
	for client, msgs := range want {
		got := sockets[client].heard()
		if name == "cancel_api" {
			got, msgs = statusLast(got), statusLast(msgs)
		}
		for i := range max(len(got), len(msgs)) {
			g, w := "nothing", "nothing"
			if i < len(got) {
				g = normal(got[i], nil)
			}
			if i < len(msgs) {
				w = normal(msgs[i], ids)
			}
			if g != w {
				t.Errorf("%s, socket %s, message %d:\n got %s\nwant %s", name, client, i, g, w)
				break
			}
		}
		sockets[client].close()
	}
	synctest.Wait()
}

// statusLast takes the news of the queue out of the order: in that recording
// another request came in while the first nodes ran, and which of the two was
// told first is chance.
func statusLast(msgs []string) []string {
	var first, last []string
	for _, m := range msgs {
		if strings.HasPrefix(m, `{"type": "status"`) {
			last = append(last, m)
			continue
		}
		first = append(first, m)
	}
	return append(first, last...)
}

func (r *rig) replayRequest(t *testing.T, name string, e entry, ids map[string]string) {
	t.Helper()
	path, body := e.Path, string(e.Request)
	var headers []string
	for theirs, ours := range ids {
		path, body = strings.ReplaceAll(path, theirs, ours), strings.ReplaceAll(body, theirs, ours)
	}
	switch {
	case body == "null":
		body = ""
	case name == "upload":
		body, headers = uploadForm(t, e.Request)
	case body == `"{broken"`:
		body = "{broken"
	}
	if e.Status == 403 {
		headers = []string{"Origin", "http://evil.example"}
	}
	a := r.do("s", e.Method, path, body, headers...)
	if a.status != e.Status {
		t.Errorf("%s: %s %s: status %d, want %d: %s", name, e.Method, e.Path, a.status, e.Status, a.body)
		return
	}
	if e.Path == "/prompt" && e.Status == 200 && e.Method == http.MethodPost {
		var theirs struct {
			PromptID string `json:"prompt_id"`
		}
		if err := json.Unmarshal(e.Reply, &theirs); err != nil {
			t.Fatal(err)
		}
		ids[theirs.PromptID] = a.object(t).text("prompt_id")
	}
	got, want := a.body, string(e.Reply)
	var text string
	if json.Unmarshal(e.Reply, &text) == nil {
		want = text
	}
	for _, figures := range []string{"/system_stats", "/models", "/features"} {
		if e.Path == figures && e.Status == 200 {
			got, want = shapeText(got), shapeText(want)
		}
	}
	// The newest version describes its nodes with more words, which are not simulated.
	newest := r.world.machines[0].servers[0].proto.jobsAPI
	if g, w := normal(got, nil), normal(want, ids); g != w && (!newest || !strings.HasPrefix(e.Path, "/object_info/")) {
		t.Errorf("%s: %s %s:\n got %s\nwant %s", name, e.Method, e.Path, g, w)
	}
}

func uploadForm(t *testing.T, request []byte) (string, []string) {
	var form struct {
		Filename, Subfolder, Type string
		Overwrite                 *string
	}
	if err := json.Unmarshal(request, &form); err != nil {
		t.Fatal(err)
	}
	fields := []string{"subfolder", form.Subfolder, "type", form.Type}
	if form.Overwrite != nil {
		fields = append(fields, "overwrite", *form.Overwrite)
	}
	body, kind := multipartBody(url.PathEscape(form.Filename), "a picture", fields...)
	return body, []string{"Content-Type", kind}
}

var (
	stamps  = regexp.MustCompile(`"(timestamp|create_time|execution_start_time|execution_end_time)": \d+`)
	tensors = regexp.MustCompile(`"tensor\([^"]*"`)
	current = regexp.MustCompile(`"current_outputs": \[[^\]]*\]`) // a Python set: any order
)

// normal makes a recorded text comparable with ours: the same spacing, no
// stamps, and our prompt ids in place of theirs.
func normal(s string, ids map[string]string) string {
	if v, err := decode([]byte(s)); err == nil {
		s = string(encode(v))
	}
	s = stamps.ReplaceAllString(s, `"$1": 0`)
	s = tensors.ReplaceAllString(s, `"tensor"`)
	s = current.ReplaceAllString(s, `"current_outputs": []`)
	for theirs, ours := range ids {
		s = strings.ReplaceAll(s, theirs, ours)
	}
	return s
}

// shapeText keeps the keys of an object and of its parts.
func shapeText(s string) string {
	v, err := decode([]byte(s))
	if err != nil {
		return s
	}
	return shapeOf(v)
}

func shapeOf(v any) string {
	switch t := v.(type) {
	case *object:
		var parts []string
		for _, k := range t.keys {
			parts = append(parts, k+":"+shapeOf(t.vals[k]))
		}
		return "{" + strings.Join(parts, " ") + "}"
	case []any:
		if len(t) > 0 {
			if o, ok := t[0].(*object); ok && !strings.Contains(fmt.Sprint(o.keys), "installed") {
				return "[" + shapeOf(o) + "]"
			}
		}
		return "[]"
	}
	return "."
}

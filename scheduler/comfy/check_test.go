package comfy

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"reckoner/scheduler/job"
	"reckoner/scheduler/sim"
)

var checkTag = job.Tag{Job: "check", Run: "0e0fa4ae-3f0b-4ecb-9d0c-6a0f2c5f5f1d", App: "a"}

// Given an idle server that works, when it is checked, then it ran a prompt, and
// nothing of it is left.
func TestACheckRunsATinyPromptAndLeavesNothing(t *testing.T) {
	for _, protocol := range []string{"2024-11", "0.3.64", "0.27.0"} {
		p := newPeer(t, protocol)
		found := p.client.Check(t.Context(), checkTag)
		if !found.Known || !found.Ran || found.Err != nil || found.SocketErr != nil || found.Ahead != 0 || found.Took <= 0 {
			t.Errorf("%s: %+v", protocol, found)
		}
		if found.Info.TargetedInterrupt != (protocol != "2024-11") {
			t.Errorf("%s: %+v", protocol, found.Info)
		}
		q, err := p.client.Queue(t.Context())
		if err != nil || len(q.Running)+len(q.Pending) != 0 {
			t.Errorf("%s: %+v, %v", protocol, q, err)
		}
		if r, ok, err := p.client.FindRecord(t.Context(), checkTag.Run); ok || err != nil {
			t.Errorf("%s: %+v, %v", protocol, r, err)
		}
	}
}

func TestAServerAtWorkIsGivenNoMore(t *testing.T) {
	p := newPeer(t, "0.3.64")
	_, running, err := p.submit(1, 600)
	if err != nil {
		t.Fatal(err)
	}
	p.until(job.NewsStarted, running.PromptID)
	found := p.client.Check(t.Context(), checkTag)
	if found.Ahead != 1 || found.Ran || found.Err != nil || !found.Known {
		t.Errorf("%+v", found)
	}
	if q, err := p.client.Queue(t.Context()); err != nil || len(q.Running) != 1 || len(q.Pending) != 0 {
		t.Errorf("%+v, %v", q, err)
	}
	if err := p.client.Interrupt(t.Context(), running.PromptID); err != nil {
		t.Error(err)
	}
}

// deadServer takes prompts and never runs one. It shares no state but a queue.
func deadServer(t *testing.T, posted *[]string) func(context.Context, string, string) (net.Conn, error) {
	t.Helper()
	queue := ""
	l := &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		path := strings.TrimPrefix(r.URL.Path, "/api")
		if r.Method == http.MethodPost {
			*posted = append(*posted, path+" "+string(body))
		}
		answer := ""
		switch r.Method + " " + path {
		case "GET /prompt":
			answer = `{"exec_info":{"queue_remaining":0}}`
		case "GET /system_stats":
			answer = `{"system":{"comfyui_version":"0.3.64"}}`
		case "GET /ws":
			conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
			if err == nil {
				for err == nil { // until the other side closes
					_, _, err = conn.ReadMessage()
				}
				_ = conn.Close()
			}
			return
		case "POST /prompt":
			queue = `[1,"` + string(checkTag.Run) + `",{},{},[]]`
			answer = `{"prompt_id":"` + string(checkTag.Run) + `","number":1,"node_errors":{}}`
		case "POST /queue":
			queue = ""
		case "GET /queue":
			answer = `{"queue_running":[],"queue_pending":[` + queue + `]}`
		case "GET /history/" + string(checkTag.Run):
			answer = `{}`
		}
		_, _ = io.WriteString(w, answer)
	})
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: handler}
	served := make(chan struct{})
	go func() { defer close(served); _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close(); <-served })
	return l.dial
}

func TestAServerThatTakesPromptsAndRunsNoneIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var posted []string
		client := newTest(t, Options{URL: "http://gpu-1", Dial: deadServer(t, &posted)})
		began := time.Now()
		found := client.Check(t.Context(), checkTag)
		if !found.Known || found.Ran || found.Err == nil || found.Err.Code != job.ErrNotWorking ||
			found.Err.Args.Seconds != checkWait.Seconds() || found.SocketErr != nil {
			t.Errorf("%+v, %v", found, found.Err)
		}
		if took := time.Since(began); took < checkWait || took > checkWait+time.Second {
			t.Errorf("it took %v", took)
		}
		if len(posted) != 3 || !strings.HasPrefix(posted[0], "/prompt ") ||
			posted[1] != `/queue {"delete":["`+string(checkTag.Run)+`"]}` ||
			posted[2] != `/history {"delete":["`+string(checkTag.Run)+`"]}` {
			t.Errorf("posted %q", posted)
		}
	})
}

func TestACheckSaysWhatIsInTheWay(t *testing.T) {
	p := newPeer(t, "0.3.64")
	for code, faults := range map[string]func(*sim.Faults){
		job.ErrNotComfy: func(f *sim.Faults) { f.HTML, f.HTMLStatus = true, http.StatusOK },
	} {
		p.server.SetFaults(faults)
		found := p.client.Check(t.Context(), checkTag)
		if found.Known || found.Ran || found.Err == nil || found.Err.Code != code {
			t.Errorf("%s: %+v, %v", code, found, found.Err)
		}
	}
	s := scripted(t, says(403, "", ""))
	if found := newTest(t, Options{URL: s.URL}).Check(t.Context(), checkTag); found.Err == nil ||
		found.Err.Code != job.ErrOrigin {
		t.Errorf("%+v", found)
	}
}

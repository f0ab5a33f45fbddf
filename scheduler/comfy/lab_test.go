package comfy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"reckoner/scheduler/job"
	"reckoner/scheduler/sim"
)

// profile is what is expected of a version of the server, written down from the
// protocol's description and not from the simulation.
type profile struct {
	name      string
	version   string
	bare      bool // no /api
	ownIDs    bool
	targeted  bool // interrupts
	success   bool // execution_success
	stamps    bool
	noStatus  bool // records say nothing of how it ended
	features  bool // previews that name their prompt
	toAll     bool // progress_state of everybody
	bodyLimit bool // of a proxy, 1 MiB
	login     bool
	cloud     bool
}

func profiles() []profile {
	return []profile{
		{name: "legacy-2023-07", bare: true, noStatus: true},
		{name: "legacy-2024-01", bare: true},
		{name: "2024-11", version: "unknown", success: true, stamps: true},
		{name: "0.3.27", version: "0.3.27", success: true, stamps: true},
		{name: "0.3.44", version: "0.3.44", success: true, stamps: true},
		{name: "0.3.56", version: "0.3.56", success: true, stamps: true, ownIDs: true, features: true, toAll: true},
		{name: "0.3.64", version: "0.3.64", success: true, stamps: true, ownIDs: true, features: true, targeted: true},
		{name: "0.27.0", version: "0.27.0", success: true, stamps: true, ownIDs: true, features: true, targeted: true},
		{
			name: "proxy", version: "0.3.64", success: true, stamps: true, ownIDs: true, features: true, targeted: true,
			bodyLimit: true, login: true,
		},
		{name: "cloud", version: "0.3.64", success: true, stamps: true, ownIDs: true, features: true, targeted: true, cloud: true},
	}
}

// lab is a server with a client that listens to it, and third parties.
type lab struct {
	t      *testing.T
	p      profile
	world  *sim.World
	server *sim.Server // nil for a real one
	client *Client
	ear    *ear // of our client
	url    string
	dial   func(ctx context.Context, network, addr string) (net.Conn, error)
	raw    http.Client
	slow   slowNode
	unit   time.Duration // how long one of the server's seconds takes
	seed   int
}

// slowNode is a node that takes a given time in a given number of steps.
type slowNode struct {
	Class   string                     `json:"class"`
	Inputs  map[string]json.RawMessage `json:"inputs"`
	Steps   string                     `json:"steps"`   // the input that takes them
	Seconds string                     `json:"seconds"` // likewise, for all steps together
}

func simulatedSlowNode() slowNode {
	return slowNode{
		Class: "SlowSampler", Steps: "steps", Seconds: "seconds",
		Inputs: map[string]json.RawMessage{"image": json.RawMessage(`["1",0]`), "seed": json.RawMessage("0")},
	}
}

// refusesLikeTCP dials a pipe to a server, which is there or not.
func refusesLikeTCP(ln *pipeListener, up func() bool) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		if !up() {
			return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
		}
		return ln.dial(ctx, network, addr)
	}
}

// newLab starts a simulated server on pipes, in the bubble's time.
func newLab(t *testing.T, p profile, edit func(*sim.ServerSpec)) *lab {
	t.Helper()
	ln := &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
	l := startLab(t, p, edit, 1, func() (net.Listener, error) { return ln, nil })
	l.url = "http://gpu-1:8188"
	l.dial = refusesLikeTCP(ln, l.server.Accepting)
	for !l.server.Accepting() {
		time.Sleep(time.Millisecond)
	}
	l.connect()
	return l
}

// newLoopbackLab starts one on the loopback interface, twenty times faster.
func newLoopbackLab(t *testing.T, p profile, edit func(*sim.ServerSpec)) *lab {
	t.Helper()
	var ln net.Listener
	l := startLab(t, p, edit, 20, func() (_ net.Listener, err error) {
		ln, err = net.Listen("tcp", "127.0.0.1:0")
		return ln, err
	})
	l.url = "http://" + ln.Addr().String()
	l.dial = (&net.Dialer{}).DialContext
	l.connect()
	return l
}

func startLab(
	t *testing.T, p profile, edit func(*sim.ServerSpec), speed float64, listen func() (net.Listener, error),
) *lab {
	t.Helper()
	spec := sim.ServerSpec{Name: "s", Uploads: []string{"example.png"}}
	if edit != nil {
		edit(&spec)
	}
	world, err := sim.Open(sim.Scenario{Name: "lab", Machines: []sim.Machine{{
		Name: "m", GPUs: []sim.GPU{{UUID: "u", Name: "g", LimitW: 100, IdleW: 10, MemoryMiB: 16000, Speed: 1}},
		Servers: []sim.ServerSpec{spec},
	}}}, sim.Options{Speed: speed, Protocol: p.name})
	if err != nil {
		t.Fatal(err)
	}
	_, err = world.Start(t.Context(), func(name string) (net.Listener, error) {
		if name == "s" {
			return listen()
		}
		return &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := world.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		if speed == 1 { // connections linger a little after their end
			time.Sleep(time.Second)
		}
	})
	return &lab{
		t: t, p: p, world: world, server: world.Server("s"), slow: simulatedSlowNode(),
		unit: time.Duration(float64(time.Second) / speed), seed: 1,
	}
}

// connect makes our client, which listens as "me", and a third party's.
func (l *lab) connect() {
	l.t.Helper()
	l.client = newTest(l.t, l.options())
	if l.server != nil { // another host is another name of the simulation
		elsewhere := &http.Transport{DialContext: l.dial}
		l.client.elsewhere.Transport = elsewhere
		l.t.Cleanup(elsewhere.CloseIdleConnections)
	}
	l.raw = http.Client{
		Transport:     &http.Transport{DialContext: l.dial},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	l.t.Cleanup(l.raw.CloseIdleConnections)
	l.ear = l.listen(l.client, "me")
	l.soon("the socket is open", func() bool { return len(l.ups()) > 0 })
}

func (l *lab) options() Options {
	o := Options{URL: l.url, Dial: l.dial, Header: http.Header{}, Random: func() float64 { return 0.5 }}
	if l.p.login {
		o.URL = strings.Replace(l.url, "://", "://"+sim.ProxyUser+":"+sim.ProxyPassword+"@", 1)
	}
	if l.p.cloud {
		o.Header.Set("X-Api-Key", sim.CloudKey)
	}
	return o
}

// ear keeps what a client hears.
type ear struct {
	mu   sync.Mutex
	news []job.News
}

func (l *lab) listen(c *Client, id string) *ear {
	e := &ear{}
	ctx, cancel := context.WithCancel(l.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.Listen(ctx, id, func(n job.News) {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.news = append(e.news, n)
		})
	}()
	l.t.Cleanup(func() { cancel(); <-done })
	return e
}

func (e *ear) all() []job.News {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]job.News(nil), e.news...)
}

// of gives what was heard of one prompt, or of none for "".
func (e *ear) of(prompt string, kinds ...job.NewsKind) []job.News {
	var out []job.News
	for _, n := range e.all() {
		for _, k := range kinds {
			if n.Kind == k && n.PromptID == prompt {
				out = append(out, n)
			}
		}
	}
	return out
}

// kinds writes down what was heard of a prompt, each kind once in a row.
func (e *ear) kinds(prompt string) string {
	var out []string
	for _, n := range e.all() {
		if n.PromptID == prompt && (len(out) == 0 || out[len(out)-1] != string(n.Kind)) {
			out = append(out, string(n.Kind))
		}
	}
	return strings.Join(out, " ")
}

// sleep lets so many of the server's seconds pass.
func (l *lab) sleep(seconds float64) { time.Sleep(time.Duration(seconds * float64(l.unit))) }

// within waits until something holds, for so many of the server's seconds.
func (l *lab) within(seconds float64, what string, holds func() bool) {
	l.t.Helper()
	end := time.Now().Add(time.Duration(seconds * float64(l.unit)))
	for pause := 20 * time.Millisecond; !holds(); pause = min(pause*5/4, l.unit) {
		if time.Now().After(end) {
			l.t.Fatalf("not within %g s: %s; heard %s", seconds, what, l.ear.kinds(""))
		}
		time.Sleep(pause)
	}
}

func (l *lab) soon(what string, holds func() bool) {
	l.t.Helper()
	l.within(120, what, holds)
}

func (l *lab) faults(edit func(*sim.Faults)) { l.server.SetFaults(edit) }

// graph is a picture, a slow node and a saver. Its seed is a new one.
func (l *lab) graph(seconds float64, steps int) string {
	l.seed++
	return l.seeded(seconds, steps, l.seed)
}

func (l *lab) seeded(seconds float64, steps, seed int) string {
	inputs := map[string]json.RawMessage{}
	for name, v := range l.slow.Inputs {
		var link []any
		switch {
		case json.Unmarshal(v, &link) == nil && len(link) == 2:
			v = json.RawMessage(`["1",0]`)
		case strings.Contains(name, "seed"):
			v = json.RawMessage(fmt.Sprint(seed))
		}
		inputs[name] = v
	}
	inputs[l.slow.Steps] = json.RawMessage(fmt.Sprint(steps))
	inputs[l.slow.Seconds] = json.RawMessage(fmt.Sprintf("%.3f", seconds))
	b, err := json.Marshal(inputs)
	if err != nil {
		l.t.Fatal(err)
	}
	return fmt.Sprintf(`{"1":{"class_type":"EmptyImage","inputs":{"width":64,"height":64,"batch_size":1,"color":255}},
		"2":{"class_type":%q,"inputs":%s},
		"3":{"class_type":"SaveImage","inputs":{"images":["2",0],"filename_prefix":"reckoner/conform"}}}`, l.slow.Class, b)
}

// submission wraps a graph with ids of its own.
func (l *lab) submission(graph string) job.Submission {
	l.seed++
	id := job.RunID(job.ID(fmt.Sprintf("%s %d", l.t.Name(), time.Now().UnixNano())), l.seed)
	return job.Submission{
		Graph: graphOf(l.t, []byte(graph)), PromptID: id, ClientID: "me", Tag: job.Tag{Job: "j", Run: id, App: "a"},
	}
}

func (l *lab) send(graph string) (job.Submission, job.Receipt, error) {
	s := l.submission(graph)
	r, err := l.client.Submit(l.t.Context(), s)
	return s, r, err
}

// submit sends a job of a duration, and gives its id there.
func (l *lab) submit(seconds float64, steps int) (string, job.Submission) {
	l.t.Helper()
	s, r, err := l.send(l.graph(seconds, steps))
	if err != nil {
		l.t.Fatalf("submit: %v", err)
	}
	return r.PromptID, s
}

// started submits a job and waits until it runs.
func (l *lab) started(seconds float64, steps int) (string, job.Submission) {
	l.t.Helper()
	id, s := l.submit(seconds, steps)
	l.soon("it runs", func() bool {
		q := l.queue()
		return len(q.Running) == 1 && q.Running[0].ID == id
	})
	l.sleep(0.2) // between leaving the queue and its start an interrupt would be lost
	return id, s
}

func (l *lab) queue() job.Queue {
	l.t.Helper()
	q, err := l.client.Queue(l.t.Context())
	if err != nil {
		l.t.Fatalf("queue: %v", err)
	}
	return q
}

// waits tells whether a prompt is on the server's queue.
func (l *lab) waits(id string) bool {
	l.t.Helper()
	for _, p := range l.queue().Pending {
		if p.ID == id {
			return true
		}
	}
	return false
}

func (l *lab) record(id string) (job.Record, bool) {
	l.t.Helper()
	r, ok, err := l.client.Record(l.t.Context(), id)
	if err != nil {
		l.t.Fatalf("record: %v", err)
	}
	return r, ok
}

// ended waits for a prompt's record.
func (l *lab) ended(id string) job.Record {
	l.t.Helper()
	var r job.Record
	l.within(900, "it has a record", func() (ok bool) { r, ok = l.record(id); return ok })
	return r
}

// wantOutcome compares, on servers whose records tell.
func (l *lab) wantOutcome(r job.Record, want job.RunOutcome) {
	l.t.Helper()
	if l.p.noStatus && (want != job.RunSucceeded || len(r.Outputs) == 0) {
		want = "" // it has no files, and that is all the record says
	}
	if r.Outcome != want {
		l.t.Errorf("outcome %q, want %q", r.Outcome, want)
	}
}

func (l *lab) wantCode(err error, code string) {
	l.t.Helper()
	if job.CodeOf(err) != code {
		l.t.Errorf("error %v, want %s", err, code)
	}
}

// ask makes a third party's request.
func (l *lab) ask(method, path, body string) (int, string) {
	l.t.Helper()
	req, err := http.NewRequestWithContext(l.t.Context(), method, l.url+path, strings.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	if l.p.login {
		req.SetBasicAuth(sim.ProxyUser, sim.ProxyPassword)
	}
	if l.p.cloud {
		req.Header.Set("X-Api-Key", sim.CloudKey)
	}
	resp, err := l.raw.Do(req)
	if err != nil {
		l.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// foreign sends a third party's prompt and gives its id.
func (l *lab) foreign(more string, seconds float64) string {
	l.t.Helper()
	status, body := l.ask("POST", "/prompt", `{"prompt":`+l.graph(seconds, 4)+more+`}`)
	var reply struct {
		PromptID string `json:"prompt_id"`
	}
	if err := json.Unmarshal([]byte(body), &reply); err != nil || status != http.StatusOK {
		l.t.Fatalf("foreign prompt: %d %s", status, body)
	}
	return reply.PromptID
}

// stuckReader opens a websocket and reads only its first message.
func (l *lab) stuckReader(id string) {
	l.t.Helper()
	d := websocket.Dialer{NetDialContext: l.dial}
	conn, resp, err := d.DialContext(l.t.Context(), "ws"+strings.TrimPrefix(l.url, "http")+"/ws?clientId="+id, l.client.at.header)
	if err != nil {
		l.t.Fatal(errors.Join(err, fmt.Errorf("%v", resp)))
	}
	l.t.Cleanup(func() { _ = conn.Close() })
	if _, _, err := conn.ReadMessage(); err != nil {
		l.t.Fatal(err)
	}
}

// file reads an output from an offset on.
func (l *lab) file(ref job.OutputRef, offset int64) ([]byte, int64, error) {
	body, total, err := l.client.View(l.t.Context(), ref, offset)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = body.Close() }()
	b, err := io.ReadAll(body)
	return b, total, err
}

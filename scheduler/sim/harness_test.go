package sim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"reckoner/scheduler/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pipes is a listener of in-memory connections, which virtual time can wait
// for.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (p *pipes) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "127.0.0.1:8188" }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.done:
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// rig is a started world on pipes, with a client.
type rig struct {
	t     *testing.T
	world *World
	lns   map[string]*pipes
	ends  []Endpoint
	http  map[string]*http.Client
	socks []*listener
}

func start(t *testing.T, s Scenario, o Options) *rig {
	t.Helper()
	if o.Clock == nil {
		o.Clock = job.NewClock(1)
	}
	w, err := Open(s, o)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, world: w, lns: map[string]*pipes{}, http: map[string]*http.Client{}}
	r.ends, err = w.Start(t.Context(), func(name string) (net.Listener, error) {
		ln := newPipes()
		r.lns[name] = ln
		r.http[name] = &http.Client{Transport: &http.Transport{DialContext: ln.dial, DisableKeepAlives: true}}
		return ln, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// stop ends the world and checks that it ended well.
func (r *rig) stop() {
	r.t.Helper()
	for _, s := range r.socks {
		s.close()
	}
	if err := r.world.Stop(context.Background()); err != nil {
		r.t.Errorf("stop: %v", err)
	}
}

// reply is an answer of a server.
type reply struct {
	status int
	body   string
	header http.Header
}

func (r reply) json(t *testing.T) any {
	t.Helper()
	v, err := decode([]byte(r.body))
	if err != nil {
		t.Fatalf("not JSON: %v: %.200q", err, r.body)
	}
	return v
}

func (r reply) object(t *testing.T) *object {
	t.Helper()
	o, ok := r.json(t).(*object)
	if !ok {
		t.Fatalf("not an object: %.200q", r.body)
	}
	return o
}

func (r *rig) ask(server, method, path, body string, headers ...string) (reply, error) {
	req, err := http.NewRequestWithContext(r.t.Context(), method, "http://127.0.0.1:8188"+path, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := r.http[server].Do(req)
	if err != nil {
		return reply{}, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return reply{res.StatusCode, string(b), res.Header}, err
}

func (r *rig) do(server, method, path, body string, headers ...string) reply {
	r.t.Helper()
	a, err := r.ask(server, method, path, body, headers...)
	if err != nil {
		r.t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

func (r *rig) get(server, path string) reply {
	r.t.Helper()
	return r.do(server, "GET", path, "")
}

// submit sends a prompt and gives its id.
func (r *rig) submit(server, prompt string, more string) string {
	r.t.Helper()
	a := r.do(server, "POST", "/prompt", `{"prompt": `+prompt+more+`}`)
	if a.status != 200 {
		r.t.Fatalf("submit: %d %s", a.status, a.body)
	}
	return a.object(r.t).text("prompt_id")
}

// ended gives the last message and the outputs of a prompt's record.
func (r *rig) ended(server, id string) (last string, record *object) {
	r.t.Helper()
	record = r.get(server, "/history/"+id).object(r.t).object(id)
	if record == nil {
		return "", nil
	}
	ms := record.object("status").vals["messages"].([]any)
	return ms[len(ms)-1].([]any)[0].(string), record
}

// listener is a websocket client of the server "s" that keeps what it hears.
type listener struct {
	conn *websocket.Conn
	done chan struct{}
	mu   sync.Mutex
	got  []string
}

func (r *rig) listen(clientID string) *listener {
	r.t.Helper()
	d := websocket.Dialer{NetDialContext: r.lns["s"].dial, HandshakeTimeout: time.Minute}
	conn, _, err := d.DialContext(r.t.Context(), "ws://127.0.0.1:8188/ws?clientId="+clientID, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	l := &listener{conn: conn, done: make(chan struct{})}
	r.socks = append(r.socks, l)
	go func() {
		defer close(l.done)
		for {
			_, b, err := conn.ReadMessage()
			if err != nil {
				return
			}
			l.mu.Lock()
			l.got = append(l.got, string(b))
			l.mu.Unlock()
		}
	}()
	return l
}

func (l *listener) heard() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.got...)
}

// kinds lists the types of what was heard.
func (l *listener) kinds() []string {
	var out []string
	for _, m := range l.heard() {
		var head struct{ Type string }
		if json.Unmarshal([]byte(m), &head) == nil {
			out = append(out, head.Type)
		}
	}
	return out
}

func (l *listener) close() {
	l.conn.Close()
	<-l.done
}

// oneServer is a scenario of one server named "s" on a card of its own.
func oneServer(edit func(*ServerSpec)) Scenario {
	spec := ServerSpec{Name: "s"}
	if edit != nil {
		edit(&spec)
	}
	return Scenario{Name: "test", Machines: []Machine{{
		Name:    "m",
		GPUs:    []GPU{{UUID: "u", Name: "NVIDIA GeForce RTX 5060 Ti", LimitW: 180, IdleW: 9, MemoryMiB: 16311}},
		Servers: []ServerSpec{spec},
	}}}
}

// slow is the recordings' graph: a picture, a slow node, a saver.
func slow(steps int, secs float64, seed int) string {
	return fmt.Sprintf(`{
		"1": {"class_type": "EmptyImage", "inputs": {"width": 64, "height": 64, "batch_size": 1, "color": 255}},
		"2": {"class_type": "SlowSampler", "inputs": {"image": ["1", 0], "steps": %d, "seconds": %g, "seed": %d}},
		"3": {"class_type": "SaveImage", "inputs": {"images": ["2", 0], "filename_prefix": "t"}}}`, steps, secs, seed)
}

// multipartBody makes an upload form.
func multipartBody(name, content string, fields ...string) (body, contentType string) {
	var b bytes.Buffer
	const edge = "edge"
	for i := 0; i+1 < len(fields); i += 2 {
		fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", edge, fields[i], fields[i+1])
	}
	fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=\"image\"; filename=\"%s\"\r\n\r\n%s\r\n--%s--\r\n",
		edge, name, content, edge)
	return b.String(), "multipart/form-data; boundary=" + edge
}

// wait lets seconds of virtual time pass, and all that happens in them.
func (r *rig) wait(secs float64) {
	time.Sleep(seconds(secs))
	synctest.Wait()
}

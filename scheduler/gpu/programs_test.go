package gpu

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"reckoner/scheduler/job"
)

// rowsOf reads a sample of pmon or dmon.
func rowsOf(t *testing.T, name string) []map[string]string {
	t.Helper()
	var rows []map[string]string
	m := monitor{}
	for lines := bufio.NewScanner(bytes.NewReader(testdata(t, name))); lines.Scan(); {
		if m.header(lines.Text()) {
			continue
		}
		if cells, ok := m.row(lines.Text()); ok {
			rows = append(rows, cells)
		}
	}
	return rows
}

func wantInto(t *testing.T, name string, want any) {
	t.Helper()
	if err := json.Unmarshal(testdata(t, name), want); err != nil {
		t.Fatal(err)
	}
}

func TestPmonTellsWhoComputesAndWhoOnlyHolds(t *testing.T) {
	var want struct {
		Rows []struct {
			GPU  int      `json:"gpu"`
			PID  int      `json:"pid"`
			SM   *float64 `json:"sm_pct"`
			Name string   `json:"name"`
		}
		Idle []int `json:"idle_gpus"`
	}
	wantInto(t, "23-pmon.want.json", &want)
	var got []job.Process
	idle := 0
	for _, cells := range rowsOf(t, "23-pmon.txt") {
		if p, held := programRow(cells); held {
			got = append(got, p)
		} else {
			idle++
		}
	}
	if len(got) != len(want.Rows) || len(got) != 6 || idle != len(want.Idle) {
		t.Fatalf("%d programs and %d idle GPUs, want %d and %d", len(got), idle, len(want.Rows), len(want.Idle))
	}
	for i, w := range want.Rows {
		sm, known := got[i].SM.Get()
		if got[i].PID != w.PID || got[i].Name != w.Name || got[i].Index.Or(-1) != w.GPU || known != (w.SM != nil) ||
			known && sm != *w.SM {
			t.Errorf("row %d is %+v, want %+v", i, got[i], w)
		}
	}
}

func TestDmonTellsTheTrafficTowardsTheGPU(t *testing.T) {
	var want struct {
		Rows []struct {
			RX *float64 `json:"rx_mb_s"`
		}
	}
	wantInto(t, "24-dmon-t.want.json", &want)
	rows := rowsOf(t, "24-dmon-t.txt")
	if len(rows) != len(want.Rows) || len(rows) != 3 {
		t.Fatalf("%d rows, want %d", len(rows), len(want.Rows))
	}
	for i, w := range want.Rows {
		_, in, ok := trafficRow(rows[i])
		if ok != (w.RX != nil) || ok && in != *w.RX*mib {
			t.Errorf("row %d: %v %v", i, in, ok)
		}
	}
}

// byTool gives Options whose tool plays the script of what it is asked for: the
// first whose key is in the command line.
func byTool(asked *asked, scripts ...[2]string) Options {
	return Options{
		Sys: noSys{},
		Command: func(ctx context.Context, name string, args ...string) *exec.Cmd {
			line := name + " " + strings.Join(args, " ")
			asked.add(line)
			cmd := exec.CommandContext(ctx, os.Args[0], args...)
			script := "!exit 1"
			for _, s := range scripts {
				if strings.Contains(line, s[0]) {
					script = s[1]
					break
				}
			}
			cmd.Env = append(os.Environ(), "GPU_TEST_SCRIPT="+script, "GORACE=atexit_sleep_ms=0")
			return cmd
		},
	}
}

// asked are the command lines of a tool.
type asked struct {
	mu    sync.Mutex
	lines []string
}

func (a *asked) add(line string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lines = append(a.lines, line)
}

func (a *asked) count(part string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := 0
	for _, l := range a.lines {
		if strings.Contains(l, part) {
			n++
		}
	}
	return n
}

const pmonHeader = "# gpu         pid   type     sm    mem    enc    dec     fb    command \n" +
	"# Idx           #    C/G      %      %      %      %     MB    name "

func TestProgramsAreFollowedOverSSH(t *testing.T) {
	var calls asked
	opt := byTool(&calls,
		[2]string{"pmon", script(
			pmonHeader,
			"    0       4411     C     88      5      -      -   9120    python3        ",
			"    0       4988     C      -      -      -      -   5744    ollama-runner a",
			"!pause", pmonHeader,
			"    0       4411     C     40      5      -      -   9120    python3        ",
			"    0       4988     C     47      -      -      -   5744    ollama-runner a",
			"!pause",
			"    0          -     -      -      -      -      -      -    -              ",
			"!hang",
		)},
		[2]string{"dmon", script("# gpu  rxpci  txpci ", "# Idx   MB/s   MB/s ", "    0  11240    612 ", "!hang")},
		[2]string{"--query-compute-apps", script(
			"gpu_uuid, pid, process_name, used_gpu_memory [MiB]",
			"GPU-1a2b0004-5a5a-4b4b-8c8c-0000c0ffee00, 4411, /opt/comfy/bin/python3, 9120 MiB",
			"GPU-1a2b0004-5a5a-4b4b-8c8c-0000c0ffee00, 4988, /usr/local/bin/ollama, 5744 MiB")},
		[2]string{"ss -ltnp", script(
			"State  Recv-Q Send-Q Local Address:Port Peer Address:PortProcess",
			`LISTEN 0      128          0.0.0.0:8188      0.0.0.0:*    users:(("python3",pid=4400,fd=20))`,
			"LISTEN 0      128             [::]:22           [::]:*")},
		[2]string{"ps -e", script("    1     0", " 4400     1", " 4411  4400", " 4988     1")},
	)
	src, err := Open("ssh:render-01", opt)
	if err != nil {
		t.Fatal(err)
	}
	smi := src.(*smi)
	smi.remember([]job.Reading{{GPU: job.GPU{Index: job.Known(0), UUID: "1a2b0004-5a5a-4b4b-8c8c-0000c0ffee00"}}})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var told []job.Programs
	err = smi.Programs(ctx, time.Second, func(p job.Programs) {
		told = append(told, p)
		if len(told) == 3 {
			cancel()
		}
	})
	if err != nil || len(told) != 3 {
		t.Fatalf("told %d times, then %v", len(told), err)
	}
	// The first look names everybody in full, by uuid, and knows who is who.
	first := told[0]
	if len(first.List) != 2 || first.List[1].Name != "/usr/local/bin/ollama" || first.List[1].SM.Known() ||
		first.List[1].Mem.Or(0) != 5744*mib || first.List[0].GPU != "1a2b0004-5a5a-4b4b-8c8c-0000c0ffee00" {
		t.Errorf("the first look: %+v", first.List)
	}
	if first.Listeners[8188] != 4400 || first.Parents[4411] != 4400 || len(first.Listeners) != 1 {
		t.Errorf("listeners %v, parents %v", first.Listeners, first.Parents)
	}
	if sm := told[1].List[1].SM; sm != job.Known(47.0) {
		t.Errorf("then it computes %+v", sm)
	}
	if told[2].BusIn[0] != 11240*mib || len(told[2].List) != 0 {
		t.Errorf("at the end: %+v", told[2])
	}
	// Nobody new came: names were asked for once.
	if n := calls.count("--query-compute-apps"); n != 1 {
		t.Errorf("names were asked for %d times", n)
	}
	if n := calls.count("ssh"); n == 0 || n != len(calls.lines) {
		t.Errorf("not all through ssh: %q", calls.lines)
	}
}

// A card that pmon does not support still has a list of programs.
func TestWithoutPmonTheListIsAskedFor(t *testing.T) {
	var calls asked
	opt := byTool(&calls,
		[2]string{"mon -s", script("Not supported on the device(s)", "Failed to process command line", "!exit 3")},
		[2]string{"--query-compute-apps", script(
			"gpu_uuid, pid, process_name, used_gpu_memory [MiB]",
			"GPU-1a2b0004-5a5a-4b4b-8c8c-0000c0ffee00, 4988, blender, 5744 MiB")},
	)
	src, err := Open("nvidia-smi", opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var told job.Programs
	if err := src.(Lister).Programs(ctx, time.Second, func(p job.Programs) { told = p; cancel() }); err != nil {
		t.Fatal(err)
	}
	if len(told.List) != 1 || told.List[0].Name != "blender" || told.List[0].SM.Known() {
		t.Errorf("told %+v", told.List)
	}
}

// Where there is no tool there is nothing to fall back to.
func TestWithoutTheToolProgramsFail(t *testing.T) {
	var calls asked
	src, err := Open("ssh:render-01", byTool(&calls, [2]string{"nvidia-smi", script("!stderr sh: 1: nvidia-smi: not found", "!exit 127")}))
	if err != nil {
		t.Fatal(err)
	}
	err = src.(Lister).Programs(t.Context(), time.Second, func(job.Programs) { t.Error("told something") })
	if job.CodeOf(err) != job.ErrNoTool {
		t.Errorf("it ended with %v", err)
	}
	if n := calls.count("--query-compute-apps"); n != 0 {
		t.Error("it went on asking")
	}
}

func TestOurOwnListenerIsAmongOurKin(t *testing.T) {
	k, err := localKin(t.Context())
	if err != nil {
		t.Skipf("this computer does not tell: %v", err)
	}
	if k.parents[os.Getpid()] != os.Getppid() {
		t.Errorf("our parent is %d, want %d", k.parents[os.Getpid()], os.Getppid())
	}
}

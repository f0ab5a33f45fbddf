package cli

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"reckoner/scheduler/job"
	"reckoner/store/secret"
)

// Given command lines with a mistake, when they are run, then the exit status is
// 2, the mistake is named, and nothing was opened or sent.
func TestMistakesInCommandLines(t *testing.T) {
	for _, c := range []struct {
		args string
		says string
	}{
		{"run --sever http://x", "unknown flag: --sever"},
		{"run --time-limit soon x.json", "--time-limit"},
		{"run --time-limit -3m x.json", "negative"},
		{"run --repeat 0 x.json", "--repeat"},
		{"run --stop-wait 0s x.json", "--stop-wait"},
		{"run --unanswered-after -1s x.json", "--unanswered-after"},
		{"run --server ftp://x x.json", "http:// or https://"},
		{"run --server http:// x.json", "http://HOST:PORT"},
		{"run --server http://a:1 --watch http://a:1 x.json", "already"},
		{"run --server http://a:1 --server http://b:1 --gpu nvidia-smi x.json", "which machine"},
		{"run --gpu gpu-1= x.json", "[HOST=]SOURCE"},
		{"run --demo --server http://x", "--demo brings its own"},
		{"run --speed 5 x.json", "--speed is for --demo"},
		{"run --auth-file /no/such/file x.json", "--auth-file"},
		{"status extra", "extra"},
		{"status --nope", "unknown flag"},
		{"inspect", "at least 1"},
		{"gpu", "1 arg"},
		{"gpu nonsense", "nvidia-smi"},
		{"history --json --csv", "not both"},
		{"simulate --protocol 1999", "1999"},
		{"simulate --scenario /no/such/file", "/no/such/file"},
		{"--demo --speed 0", "--speed"},
	} {
		got := runCLI(t, newFakeParts(t), strings.Fields(c.args)...)
		if got.status != exitUsage || !strings.Contains(got.stderr, c.says) {
			t.Errorf("%s: status %d, want 2 naming %q; it said\n%s", c.args, got.status, c.says, got.stderr)
		}
		if got.parts.opened > 0 || len(got.parts.probed) > 0 {
			t.Errorf("%s: something was opened or asked", c.args)
		}
	}
}

func TestTimeLimitValues(t *testing.T) {
	for _, c := range []struct {
		given string
		want  job.Limit
	}{
		{"", job.Limit{Kind: job.LimitDefault}},
		{"0", job.Limit{Kind: job.LimitOff}},
		{"0s", job.Limit{Kind: job.LimitOff}},
		{"off", job.Limit{Kind: job.LimitOff}},
		{"30m", job.Limit{Kind: job.LimitSet, For: 30 * time.Minute}},
		{"29.7m", job.Limit{Kind: job.LimitSet, For: 1782 * time.Second}},
	} {
		var v limitValue
		if c.given != "" {
			if err := v.Set(c.given); err != nil {
				t.Errorf("%q: %v", c.given, err)
			}
		}
		if v.get() != c.want {
			t.Errorf("%q gives %+v, want %+v", c.given, v.get(), c.want)
		}
	}
}

// Given addresses, then servers on one host are one machine, and the same
// command line always means the same servers.
func TestServersOfAHostAreOneMachine(t *testing.T) {
	build := func() park {
		p, err := buildPark(
			[]string{"gpu-1:8188", "http://GPU-1:8189/comfy/", "https://u:secret@far.example?token=t"},
			[]string{"http://gpu-1:8190", "http://127.0.0.1:8188"},
			[]string{"gpu-1=prom:http://metrics:9835/metrics?a=b", "prom:http://far.example:9835/metrics", "localhost=nvidia-smi"},
		)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := build()
	var names []string
	for _, m := range p.machines {
		names = append(names, m.Name+" "+strings.Join(m.Sources, " "))
	}
	want := []string{
		"gpu-1 prom:http://metrics:9835/metrics?a=b", "far.example prom:http://far.example:9835/metrics", "localhost nvidia-smi",
	}
	if strings.Join(names, "|") != strings.Join(want, "|") {
		t.Errorf("machines %q, want %q", names, want)
	}
	if n := len(p.of(p.machines[0].ID)); n != 3 {
		t.Errorf("gpu-1 has %d servers, want 3", n)
	}
	var use []string
	for _, s := range p.use {
		use = append(use, s.URL)
	}
	if got := strings.Join(use, " "); got != "http://gpu-1:8188 http://gpu-1:8189/comfy https://far.example" {
		t.Errorf("to be used: %s", got)
	}
	if c := p.keys["https://far.example"]; c.User != "u" || c.Password != "secret" || c.Query != "token=t" {
		t.Error("the credentials of an address were not kept apart")
	}
	again := build()
	for i, s := range p.servers {
		if again.servers[i].ID != s.ID {
			t.Errorf("server %s has another id the second time", s.URL)
		}
	}
}

func TestCredentialsOfAFile(t *testing.T) {
	k := keyring{}
	pin := strings.TrimSuffix(strings.Repeat("AB:", 32), ":")
	err := k.read(strings.NewReader("# mine\n\nu:p:q\nhttp://gpu-1:8188/ tok\ngpu-2:8188 a:b\n" +
		"https://gpu-3 t\nhttps://gpu-3 header CF-Access-Client-Id: x:y z\nhttps://gpu-3 header X-B:c\n" +
		"https://gpu-3 cert SHA256:" + strings.ToLower(pin) + "\nssh://root@gpu-4:41022 behind\n"))
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]credentials{
		"http://elsewhere":  {Secret: secret.Secret{User: "u", Password: "p:q"}},
		"http://gpu-1:8188": {Secret: secret.Secret{Token: "tok"}},
		"http://gpu-2:8188": {Secret: secret.Secret{User: "a", Password: "b"}},
		"https://gpu-3": {
			Secret: secret.Secret{Token: "t", Header: map[string][]string{"CF-Access-Client-Id": {"x:y z"}, "X-B": {"c"}}},
			pins:   []string{pin},
		},
		"ssh:root@gpu-4:41022": {Secret: secret.Secret{Token: "behind"}},
	} {
		if got := k.forServer(url); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: wrong credentials", url)
		}
	}
	if err := k.read(strings.NewReader("http://x a b")); err == nil || strings.Contains(err.Error(), "a b") {
		t.Errorf("a line of three words: %v", err)
	}
	if s := fmt.Sprintf("%v %+v", credentials{Secret: secret.Secret{Password: "pass"}}, credentials{
		Secret: secret.Secret{Password: "pass"},
	}); strings.Contains(s, "pass") {
		t.Errorf("credentials print as %s", s)
	}
}

func FuzzServerURL(f *testing.F) {
	for _, s := range []string{"gpu-1:8188", "http://[::1]:8188/a", "https://u:p@h/x?token=1", "://", "http://a b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		bare, _, err := splitServerURL(s)
		if err != nil {
			return
		}
		again, secret, err := splitServerURL(bare)
		if err != nil || again != bare || !secret.none() {
			t.Errorf("%q gave %q, which gave %q, %v", s, bare, again, err)
		}
	})
}

// FuzzKeyring reads lines of any kind. No error repeats one: it may hold a secret.
func FuzzKeyring(f *testing.F) {
	f.Add("http://gpu-1:8188 ada:hunter22", "hunter22")
	f.Add("# all\nhunter22\nhttp://a header X-Key: hunter22\nhttp://a cert ab:cd", "hunter22")
	f.Add("http://a header hunter22", "hunter22")
	f.Fuzz(func(t *testing.T, lines, secret string) {
		err := keyring{}.read(strings.NewReader(lines + "\nhttp://gpu-1:8188 header " + secret))
		if err != nil && len(secret) > 5 && strings.Contains(err.Error(), secret) && !strings.Contains(errAuthLine.Error(), secret) {
			t.Fatalf("the error repeats %q: %v", secret, err)
		}
	})
}

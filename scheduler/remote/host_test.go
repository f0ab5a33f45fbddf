package remote

import (
	"strings"
	"testing"
)

func TestAHostIsANameAnAddressOrAnAlias(t *testing.T) {
	for text, want := range map[string][2]string{ // ssh's destination, its port
		"gpu-1":                {"gpu-1", ""},
		"render@10.0.0.7":      {"render@10.0.0.7", ""},
		"root@1.2.3.4:41022":   {"root@1.2.3.4", "41022"},
		"fe80::1%eth0":         {"fe80::1%eth0", ""},
		"[::1]:2222":           {"::1", "2222"},
		"u@[2001:db8::7]":      {"u@2001:db8::7", ""},
		"my_alias.internal:22": {"my_alias.internal", "22"},
	} {
		h, err := ParseHost(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		name, args := h.Command("exit")
		line := name + " " + strings.Join(args, " ")
		end := " -- " + want[0] + " exit"
		if want[1] != "" {
			end = " -p " + want[1] + end
		}
		if !strings.HasSuffix(line, end) || strings.Contains(line, " -p ") != (want[1] != "") {
			t.Errorf("%q gives %q", text, line)
		}
		again, err := ParseHost(h.String())
		if err != nil || again != h {
			t.Errorf("%q is written %q and read back as %v, %v", text, h, again, err)
		}
	}
}

// hostile are texts that must reach no ssh.
var hostile = []string{
	"", "-oProxyCommand=x", "a b", "$(reboot)", "root@-x", "-x@gpu", "a;b", "`id`@gpu", "gpu:", "gpu:0", "gpu:99999",
	"gpu:22x", "gpu\n", "u@", "@gpu", "a:b:c", "[gpu", "[gpu]:-1", "::1%$(id)", "gpu/../x",
	strings.Repeat("a", 300), "größe",
}

func TestWhatIsNoHostIsRefused(t *testing.T) {
	for _, text := range hostile {
		if h, err := ParseHost(text); err == nil {
			t.Errorf("%q is taken as %+v", text, h)
		}
	}
}

func TestAnAddressBehindSSHSaysWhereItsServerListens(t *testing.T) {
	for text, want := range map[string][3]string{ // at, shortest, source
		"ssh:gpu-1":                  {"127.0.0.1:8188", "ssh:gpu-1", "ssh:gpu-1"},
		"ssh:root@1.2.3.4:41022":     {"127.0.0.1:8188", "ssh:root@1.2.3.4:41022", "ssh:root@1.2.3.4:41022"},
		"ssh://u@gpu-1:22/":          {"127.0.0.1:8188", "ssh:u@gpu-1:22", "ssh:u@gpu-1:22"},
		"ssh:gpu-1/8000":             {"127.0.0.1:8000", "ssh:gpu-1/8000", "ssh:gpu-1"},
		"ssh:door:2222/gpu-7:8188":   {"gpu-7:8188", "ssh:door:2222/gpu-7:8188", "ssh:door:2222"},
		"ssh:gpu-1/127.0.0.1:8188":   {"127.0.0.1:8188", "ssh:gpu-1", "ssh:gpu-1"},
		"ssh:gpu-1/[::1]:8000":       {"[::1]:8000", "ssh:gpu-1/[::1]:8000", "ssh:gpu-1"},
		"ssh:u@[2001:db8::7]:22/900": {"127.0.0.1:900", "ssh:u@[2001:db8::7]:22/900", "ssh:u@[2001:db8::7]:22"},
	} {
		a, err := ParseAddress(text)
		if err != nil || a.At() != want[0] || a.String() != want[1] || a.Source() != want[2] {
			t.Errorf("%q: %q %q %q, %v", text, a.At(), a, a.Source(), err)
		}
	}
	for _, text := range []string{
		"gpu-1", "http://gpu-1", "ssh:", "ssh:gpu/x", "ssh:gpu/-L:1", "ssh:gpu/0", "ssh:gpu/a:b:1",
	} {
		if a, err := ParseAddress(text); err == nil {
			t.Errorf("%q is taken as %+v", text, a)
		}
	}
	for _, text := range hostile {
		if a, err := ParseAddress("ssh:" + text); err == nil && !strings.Contains(text, "/") {
			t.Errorf("%q is taken as %+v", text, a)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, text := range hostile {
		f.Add("ssh:" + text)
	}
	f.Add("ssh:root@[::1%eth0]:22/[::1]:8188")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAddress(text)
		if err != nil {
			return
		}
		if again, err := ParseAddress(a.String()); err != nil || again != a {
			t.Errorf("%q is written %q and read back as %+v, %v", text, a, again, err)
		}
		_, args := a.forward(1234, true)
		if last := args[len(args)-1]; last == "" || last[0] == '-' || args[len(args)-2] != "--" ||
			strings.ContainsAny(strings.Join(args, ""), " ;|&$`'\"\n<>()\\*?!#") {
			t.Errorf("%q gives %q", text, args)
		}
	})
}

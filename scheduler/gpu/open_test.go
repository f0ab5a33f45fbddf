package gpu

import (
	"errors"
	"strings"
	"testing"

	"reckoner/scheduler/job"
)

func TestSourcesAreNamedAsOnTheCommandLine(t *testing.T) {
	for _, good := range []string{
		"nvidia-smi", "amd", "ssh:gpu-1", "ssh:render@10.0.0.7", "ssh:fe80::1%eth0",
		"prom:http://gpu-1:9835/metrics", "prom:gpu-1:9835",
		"comfy:http://127.0.0.1:8188", "comfy:https://host/path/", "file:readings.csv", "file:C:\\x.csv",
	} {
		if src, err := Open(good, Options{}); err != nil || src == nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", "nvidia", "nvidia-smi:", "ssh:", "ssh", "ssh:-oProxyCommand=x",
		"ssh:a b", "ssh:$(reboot)", "ssh:root@-x", "ssh:a;b",
		"prom:", "prom:ftp://x", "prom:http://", "prom:http://u:secret@host/metrics",
		"comfy:http://u:secret@host", "prom:http://[::1",
		"comfy:http://u:secret@host:port", "file:", "amd:0", "http://gpu-1:9835",
	} {
		_, err := Open(bad, Options{})
		if job.CodeOf(err) != job.ErrBadSource {
			t.Errorf("%q: %v", bad, err)
			continue
		}
		if e, ok := errors.AsType[*job.Error](err); !ok || strings.Contains(e.Error()+e.Args.Value, "secret") {
			t.Errorf("the error repeats a password: %+v", err)
		}
	}
}

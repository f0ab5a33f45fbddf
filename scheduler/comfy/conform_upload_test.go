package comfy

import (
	"strings"

	"reckoner/scheduler/job"
)

func uploading() []behaviour {
	return []behaviour{
		{name: "a file is kept once, and another content of its name under another name", run: func(l *lab) {
			ref := job.OutputRef{Filename: "a b.png", Type: "input"}
			if has, err := l.client.Has(l.t.Context(), ref); has || err != nil {
				l.t.Errorf("before: %v, %v", has, err)
			}
			for _, c := range []struct{ content, want string }{
				{"one", "a b.png"}, {"one", "a b.png"}, {"two --" + boundary + "--", "a b (1).png"},
			} {
				if name, err := l.client.Upload(l.t.Context(), "a b.png", []byte(c.content)); name != c.want || err != nil {
					l.t.Errorf("%q became %q, %v; want %q", c.content, name, err, c.want)
				}
			}
			if has, err := l.client.Has(l.t.Context(), ref); !has || err != nil {
				l.t.Errorf("after: %v, %v", has, err)
			}
		}},
		{name: "the page's workflow goes along", run: func(l *lab) {
			s := l.submission(l.graph(1, 1))
			s.Workflow = []byte(`{"nodes":[{"id":1,"seed":18446744073709551615}]}`)
			if _, err := l.client.Submit(l.t.Context(), s); err != nil {
				l.t.Fatal(err)
			}
			_, body := l.ask("GET", "/queue", "")
			if !strings.Contains(body, `"workflow"`) || !strings.Contains(body, "18446744073709551615") {
				l.t.Errorf("queue %s", body)
			}
		}},
	}
}

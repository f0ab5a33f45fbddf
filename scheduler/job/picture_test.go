package job

import "testing"

func TestWhatShowsAJob(t *testing.T) {
	out := func(name string, preview bool) Output {
		return Output{File: "/r/" + name, ServerName: name, Preview: preview}
	}
	for name, c := range map[string]struct {
		outputs []Output
		want    Picture
	}{
		"a picture":                       {[]Output{out("a.txt", false), out("b.PNG", false)}, Picture{File: "/r/b.PNG"}},
		"a video by itself":               {[]Output{out("a.mp4", false)}, Picture{File: "/r/a.mp4"}},
		"a video with its first frame":    {[]Output{out("x.png", true), out("a.mp4", false), out("a.png", false)}, Picture{File: "/r/a.mp4", Else: "/r/a.png"}},
		"a video and some other picture":  {[]Output{out("a.mp4", false), out("x.png", false)}, Picture{File: "/r/a.mp4", Else: "/r/x.png"}},
		"a preview only":                  {[]Output{out("a.png", true)}, Picture{File: "/r/a.png"}},
		"what was saved, not the preview": {[]Output{out("p.png", true), out("a.webp", false)}, Picture{File: "/r/a.webp"}},
		"a sound":                         {[]Output{out("a.flac", false)}, Picture{}},
		"nothing":                         {nil, Picture{}},
	} {
		if got := PictureOfResults(c.outputs); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestWhatShowsAJobBeforeItHasResults(t *testing.T) {
	for name, c := range map[string]struct {
		inputs []InputFile
		want   Picture
	}{
		"its picture":                {[]InputFile{{File: "start.png", Blob: "b1"}}, Picture{Blob: "b1"}},
		"dropped under another name": {[]InputFile{{File: "", Path: "/p/start.JPG", Blob: "b1"}}, Picture{Blob: "b1"}},
		"the first that is here":     {[]InputFile{{File: "a.png"}, {File: "b.wav", Blob: "b1"}, {File: "c.webm", Blob: "b2"}}, Picture{Blob: "b2"}},
		"only on the server":         {[]InputFile{{File: "a.png"}}, Picture{}},
		"none":                       {nil, Picture{}},
	} {
		if got := PictureOfInputs(c.inputs); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

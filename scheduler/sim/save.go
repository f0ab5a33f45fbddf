package sim

import (
	"errors"
	"fmt"
	"image"
	"math"
	"path"
	"strings"
)

const (
	longSide    = 320 // pixels of a picture's longer side
	videoSide   = 128
	maxPictures = 32 // of one node; a real server would write every frame
	videoFrames = 10
)

// errDiskFull is what Python says of a full disk.
var errDiskFull = errors.New("[Errno 28] No space left on device")

// save writes what an output node saves and gives its results, or nil for a
// node that saves nothing.
func (s *Server) save(g graph, id string, extra *object) (*object, error) {
	cl := g.class(id)
	if cl.saves == "" {
		return nil, nil
	}
	if s.faults.get().DiskFull {
		return nil, errDiskFull
	}
	in := g.inputs(id)
	prefix, folder := g.text(in, "filename_prefix"), "output"
	if cl.saves == "temp" {
		folder = "temp"
		prefix = "ComfyUI_temp_" + fmt.Sprintf("%05x", seeded(s.seed, "temp", newUUID()).IntN(1<<20))
	}
	sub, name := path.Split(strings.ReplaceAll(prefix, "\\", "/"))
	sub = strings.Trim(sub, "/")
	if path.IsAbs(prefix) || strings.Contains(sub, "..") {
		return nil, fmt.Errorf("saving outside the output folder is not allowed: %s", sub)
	}
	size := g.shapeOf(id)
	fps, ok := g.number(in, "fps")
	if !ok {
		fps = g.videoRate(in)
	}
	art := paint(g, id, size)
	meta := embedded(g.prompt, extra)
	var made []any
	write := func(ending string, data []byte) {
		made = append(made, obj("filename", s.files.create(folder, sub, name, ending, data, s.pace.clock.Now().Wall),
			"subfolder", s.shown(sub), "type", folder))
	}
	switch cl.saves {
	case "png", "temp":
		for i := range min(int(size.frames*size.batch), maxPictures) {
			data, err := encodePNG(art.frame(longSide, float64(i)/max(size.frames*size.batch, 1)), meta)
			if err != nil {
				return nil, fmt.Errorf("save %s: %w", name, err)
			}
			write(".png", data)
		}
		return obj("images", made), nil
	}
	frames := make([]*image.RGBA, min(videoFrames, max(int(size.frames), 2)))
	for i := range frames {
		frames[i] = art.frame(videoSide, float64(i)/float64(len(frames)))
	}
	data, ending, err := encodeVideo(cl.saves, frames, max(size.frames, 1)/max(fps, 0.01)/float64(len(frames)), meta)
	if err != nil {
		return nil, fmt.Errorf("save %s: %w", name, err)
	}
	write(ending, data)
	return obj("images", made, "animated", list(true)), nil
}

func encodeVideo(kind string, frames []*image.RGBA, each float64, meta []metadata) ([]byte, string, error) {
	switch kind {
	case "webp":
		return encodeWEBP(frames, each, meta), ".webp", nil
	case "apng":
		data, err := encodeAPNG(frames, each, meta)
		return data, ".png", err
	case "mp4":
		data, err := encodeMP4(frames, each, meta)
		return data, ".mp4", err
	}
	return nil, "", fmt.Errorf("no way to write %q", kind)
}

// text reads an input that is a text, or a link to a node that holds one.
func (g graph) text(in *object, name string) string {
	if link, ok := in.vals[name].([]any); ok && len(link) == 2 {
		return g.prompt.object(pyText(link[0])).object("inputs").text("value")
	}
	return in.text(name)
}

// videoRate is the rate of the CreateVideo node that a saver is linked to.
func (g graph) videoRate(in *object) float64 {
	if link, ok := in.vals["video"].([]any); ok && len(link) == 2 {
		if src := g.prompt.object(pyText(link[0])); src != nil {
			if f, ok := g.number(src.object("inputs"), "fps"); ok {
				return f
			}
		}
	}
	return 16
}

// metadata is one text that a file carries about how it was made.
type metadata struct {
	key  string
	text []byte
}

// embedded is what the server puts into its files: the prompt, and each key of
// extra_pnginfo, of which "workflow" is the page's own file.
func embedded(prompt, extra *object) []metadata {
	out := []metadata{{"prompt", encode(prompt)}}
	if info := extra.object("extra_pnginfo"); info != nil {
		for _, k := range info.keys {
			out = append(out, metadata{k, encode(info.vals[k])})
		}
	}
	return out
}

// art is a made-up picture: a sky, a sun and hills whose colours and shapes
// come from the prompt and its seed.
type art struct {
	aspect     float64
	top, low   [3]float64
	hills      [3][3]float64
	sunX, sunY float64
	phase      [3]float64
}

func paint(g graph, id string, size shape) art {
	key := g.signature(id, map[string]string{})
	r := seeded(0, key)
	a := art{aspect: size.width / max(size.height, 1), sunX: r.Float64(), sunY: 0.2 + 0.4*r.Float64()}
	hue := r.Float64()
	a.top = colour(hue, 0.55, 0.35+0.3*r.Float64())
	a.low = colour(hue+0.08+0.2*r.Float64(), 0.55, 0.9)
	for i := range a.hills {
		a.hills[i] = colour(hue+0.5+0.1*r.Float64(), 0.5, 0.5-0.13*float64(i))
		a.phase[i] = 2 * math.Pi * r.Float64()
	}
	return a
}

func colour(h, s, v float64) [3]float64 {
	var out [3]float64
	for i, shift := range []float64{0, 2. / 3, 1. / 3} {
		x := math.Abs(math.Mod(h+shift+1, 1)*6 - 3)
		out[i] = 255 * v * (1 - s + s*min(max(x-1, 0), 1))
	}
	return out
}

// frame paints the picture at a moment between 0 and 1 of its video.
func (a art) frame(side int, t float64) *image.RGBA {
	w, h := side, side
	if a.aspect >= 1 {
		h = max(int(float64(side)/a.aspect), 8)
	} else {
		w = max(int(float64(side)*a.aspect), 8)
	}
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	sx, sy := math.Mod(a.sunX+0.3*t, 1), a.sunY
	for y := range h {
		for x := range w {
			u, v := float64(x)/float64(w), float64(y)/float64(h)
			c := mix(a.top, a.low, v)
			d := math.Hypot((u-sx)*a.aspect, v-sy)
			c = mix(c, [3]float64{255, 244, 214}, math.Exp(-d*d*60)+0.35*math.Exp(-d*6))
			for i, hill := range a.hills {
				edge := 0.55 + 0.13*float64(i) + 0.07*math.Sin(a.phase[i]+u*(4+3*float64(i))+2*math.Pi*t*0.2*float64(i+1))
				if v > edge {
					c = mix(hill, a.low, 0.35*math.Exp(-(v-edge)*8))
				}
			}
			i := img.PixOffset(x, y)
			img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3] = uint8(c[0]), uint8(c[1]), uint8(c[2]), 255
		}
	}
	return img
}

func mix(a, b [3]float64, t float64) [3]float64 {
	t = min(max(t, 0), 1)
	for i := range a {
		a[i] += (b[i] - a[i]) * t
	}
	return a
}

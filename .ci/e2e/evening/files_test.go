package evening

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

// graph is a job of some seconds as it is sent to a server; read is what its first
// node reads, "" for a plain picture.
func graph(seed int, seconds float64, read string) string {
	first := `{"class_type":"EmptyImage","inputs":{"width":64,"height":64,"batch_size":1,"color":255}}`
	if read != "" {
		first = `{"class_type":"LoadImage","inputs":{"image":"` + read + `"}}`
	}
	return fmt.Sprintf(`{"1":%s,
		"2":{"class_type":"SlowSampler","inputs":{"image":["1",0],"steps":8,"seconds":%g,"seed":%d}},
		"3":{"class_type":"SaveImage","inputs":{"images":["2",0],"filename_prefix":"evening"}}}`, first, seconds, seed)
}

// longPrompt is somebody else's work of a minute, of which the server makes 15 s.
var longPrompt = `{"client_id":"somebody","prompt":` + graph(99, 60, "") + `}`

// page is a job in the format of ComfyUI's page.
const page = `{"last_node_id":3,"last_link_id":2,"version":0.4,"links":[[1,1,0,2,0,"IMAGE"],[2,2,0,3,0,"IMAGE"]],"nodes":[
	{"id":1,"type":"EmptyImage","mode":0,"widgets_values":[64,64,1,255],"outputs":[{"name":"IMAGE","type":"IMAGE","links":[1]}]},
	{"id":2,"type":"SlowSampler","mode":0,"widgets_values":[8,4,7,"fixed"],"inputs":[{"name":"image","type":"IMAGE","link":1}],
	 "outputs":[{"name":"IMAGE","type":"IMAGE","links":[2]}]},
	{"id":3,"type":"SaveImage","mode":0,"widgets_values":["evening"],"inputs":[{"name":"images","type":"IMAGE","link":2}]}]}`

// makeFiles writes what is dropped this evening: twelve files and folders, eleven
// jobs in all, of which the first is dropped by itself.
func makeFiles(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	var files []string
	write := func(name string, content []byte) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	for seed := range 5 {
		write(fmt.Sprintf("job %d, café 100 %%.json", seed), []byte(graph(seed, 4, "")))
	}
	write("of the page.json", []byte(page))
	write("request.json", []byte(`{"client_id":"x","prompt":`+graph(20, 4, "")+`}`))
	write("result.png", picture(t, 1, graph(21, 4, "")))
	write("walk.json", []byte(graph(22, 4, "start.png")))
	write("start.png", picture(t, 2, ""))
	write("no job.json", []byte("Dear diary"))
	for seed := range 2 {
		write(fmt.Sprintf("folder/inside %d.json", seed), []byte(graph(30+seed, 4, "")))
		files = files[:len(files)-1]
	}
	return append(files, filepath.Join(dir, "folder"))
}

// picture is a PNG, with a workflow in it as ComfyUI writes it, or without.
func picture(t *testing.T, shade uint8, workflow string) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 32, 32))
	for i := range 32 * 32 {
		img.Set(i%32, i/32, color.RGBA{R: shade * 90, G: uint8(i), B: 120, A: 255})
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		t.Fatal(err)
	}
	if workflow == "" {
		return buf.Bytes()
	}
	const head = 8 + 25 // the signature and IHDR
	text := append([]byte("tEXtprompt\x00"), workflow...)
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(text)-4))
	chunk = append(chunk, text...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(text))
	out := append([]byte(nil), buf.Bytes()[:head]...)
	return append(append(out, chunk...), buf.Bytes()[head:]...)
}

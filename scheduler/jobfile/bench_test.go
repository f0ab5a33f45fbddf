package jobfile_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"reckoner/scheduler/jobfile"
)

func BenchmarkReadOf6000Nodes(b *testing.B) {
	var file strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&file, `%c"%d":{"class_type":"EmptyImage","inputs":{"width":64,"height":64,"batch_size":1,"color":%d}},`+
			`"%d":{"class_type":"PreviewImage","inputs":{"images":["%d",0]}}`, "{,"[min(i, 1)], 2*i+1, i, 2*i+2, 2*i+1)
	}
	file.WriteByte('}')
	b.SetBytes(int64(file.Len()))
	for b.Loop() {
		if _, err := jobfile.Read(strings.NewReader(file.String()), "x.json"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadOfA4GBVideo(b *testing.B) {
	const size = 4 << 30
	tail, head := savedVideo(), box("ftyp", "isom")+"\x00\x00\x00\x01mdat"
	length := binary.BigEndian.AppendUint64(nil, uint64(size-len(box("ftyp", "isom"))-len(tail)))
	for b.Loop() {
		video := &sparse{head: head + string(length), tail: tail, size: size}
		if _, err := jobfile.ReadFrom(video, size, "long.mp4"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkConvertOf1000Nodes(b *testing.B) {
	var nodes, links []string
	for i := range 500 {
		nodes = append(nodes,
			fmt.Sprintf(`{"id":%d,"type":"EmptyImage","outputs":[{"type":"IMAGE"}],"widgets_values":[64,64,1,0]}`, 2*i+1),
			fmt.Sprintf(`{"id":%d,"type":"SaveImage","inputs":[{"name":"images","type":"IMAGE","link":%d}],`+
				`"widgets_values":["x"]}`, 2*i+2, i+1))
		links = append(links, fmt.Sprintf(`[%d,%d,0,%d,0,"IMAGE"]`, i+1, 2*i+1, 2*i+2))
	}
	ui := jobfile.Workflow(`{"nodes":[` + strings.Join(nodes, ",") + `],"links":[` + strings.Join(links, ",") + `]}`)
	for b.Loop() {
		if g, _, err := jobfile.Convert(ui, sceneClasses); err != nil || len(g.Nodes) != 1000 {
			b.Fatal(len(g.Nodes), err)
		}
	}
}

func BenchmarkReadClasses(b *testing.B) {
	data := open(b, "object_info.json")
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := jobfile.ReadClasses(bytes.NewReader(data), "x"); err != nil {
			b.Fatal(err)
		}
	}
}

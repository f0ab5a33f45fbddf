package jobfile

import (
	"bytes"
	"runtime"
	"testing"
)

func TestALargeFileTakesFewCopiesOfItself(t *testing.T) {
	const size = 16 << 20
	var file bytes.Buffer
	file.WriteString(`{"1":{"class_type":"ETN_LoadImageBase64","inputs":{"image":"`)
	file.Write(bytes.Repeat([]byte("A"), size))
	file.WriteString(`"}},"2":{"class_type":"SaveImage","inputs":{"images":["1",0]}}}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f, err := ReadFrom(bytes.NewReader(file.Bytes()), int64(file.Len()), "large.json")
	runtime.ReadMemStats(&after)
	if err != nil || len(f.Graph.Nodes) != 2 {
		t.Fatalf("%d nodes, %v", len(f.Graph.Nodes), err)
	}
	// The file itself, and what is sent of it; and one more for good measure.
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 3*size {
		t.Errorf("%d MB allocated for a file of %d MB", allocated>>20, size>>20)
	}
}

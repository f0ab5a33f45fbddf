package jobfile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"reckoner/scheduler/job"
	"reckoner/scheduler/jobfile"
)

func TestReadFindsTheJobInPicturesVideosAndSounds(t *testing.T) {
	wan := job.Cost{Width: 768, Height: 768, Frames: 81, Steps: 20, Batch: 1, FPS: 16}
	lora := job.Cost{Width: 512, Height: 512, Steps: 20, Batch: 1}
	for name, want := range map[string]struct {
		format   string
		nodes    int
		cost     job.Cost
		warnings string
	}{
		"media/c_apng_comf_chunk.png":            {"png", 9, lora, ""},
		"media/c_png_ztxt.png":                   {"png", 9, lora, ""},
		"media/c_png_uppercase_keys.png":         {"png", 9, lora, ""},
		"media/c_png_prompt_nan.png":             {"png", 9, lora, job.WarnNaN + " " + job.WarnIsChanged},
		"broken/png_bad_crc.png":                 {"png", 9, lora, job.WarnDamaged},
		"media/cx_image_to_video_wan22_14B.webp": {"webp", 15, wan, job.WarnIsChanged},
		"media/c_native_savevideo.mp4":           {"mp4", 15, wan, job.WarnIsChanged},
		"media/c_vhs_comment.mp4":                {"mp4", 15, wan, job.WarnIsChanged},
		"media/c_tags.webm":                      {"webm", 15, wan, job.WarnIsChanged},
		"media/c_tags.flac":                      {"flac", 15, wan, job.WarnIsChanged},
		"media/c_tags.mp3":                       {"mp3", 15, wan, job.WarnIsChanged},
	} {
		t.Run(name, func(t *testing.T) {
			// whatever the file is called
			data := open(t, name)
			f, err := jobfile.ReadFrom(bytes.NewReader(data), int64(len(data)), "holiday.txt")
			if err != nil {
				t.Fatal(err)
			}
			if f.Format != want.format || f.Facts.Nodes != want.nodes || f.Facts.Cost != want.cost || f.Title != "holiday" {
				t.Errorf("got %s, %d nodes, cost %+v, want %+v", f.Format, f.Facts.Nodes, f.Facts.Cost, want)
			}
			var codes []string
			for _, w := range f.Warnings {
				codes = append(codes, w.Code)
			}
			if got := strings.Join(codes, " "); got != want.warnings {
				t.Errorf("warnings %q, want %q", got, want.warnings)
			}
			if f.Workflow == nil {
				t.Error("the page's workflow is gone")
			}
			// and what is kept of it is the same job
			again, err := jobfile.Read(bytes.NewReader(f.Source), "kept")
			if err != nil || !bytes.Equal(again.Graph.Raw, f.Graph.Raw) || !bytes.Equal(again.Workflow, f.Workflow) {
				t.Errorf("kept is %.60s, %v", f.Source, err)
			}
		})
	}
}

const (
	smallPrompt = `{"1":{"class_type":"EmptyImage","inputs":{"width":64}},` +
		`"2":{"class_type":"SaveImage","inputs":{"images":["1",0]}}}`
	smallUI = `{"nodes":[{"id":1,"type":"EmptyImage","outputs":[{"type":"IMAGE"}],"widgets_values":[64]},` +
		`{"id":2,"type":"SaveImage","inputs":[{"name":"images","type":"IMAGE","link":1}],"widgets_values":[]}],` +
		`"links":[[1,1,0,2,0,"IMAGE"]]}`
)

func pngChunk(kind, body string) string {
	var b bytes.Buffer
	_ = binary.Write(&b, binary.BigEndian, uint32(len(body)))
	b.WriteString(kind + body)
	_ = binary.Write(&b, binary.BigEndian, crc32.ChecksumIEEE([]byte(kind+body)))
	return b.String()
}

func pngOf(chunks ...string) string {
	return "\x89PNG\r\n\x1a\n" + strings.Join(chunks, "") + pngChunk("IEND", "")
}

func readString(file string) (jobfile.File, error) {
	return jobfile.ReadFrom(strings.NewReader(file), int64(len(file)), "x")
}

func TestReadUsesWhatRanAndTellsOfAnotherWorkflow(t *testing.T) {
	for name, c := range map[string]struct{ prompt, ui, warning, node string }{
		"the same job":          {smallPrompt, smallUI, "", ""},
		"another value":         {smallPrompt, strings.Replace(smallUI, "[64]", "[65]", 1), job.WarnOtherJob, "1"},
		"another class":         {smallPrompt, strings.Replace(smallUI, "SaveImage", "PreviewImage", 1), job.WarnOtherJob, "2"},
		"another link":          {smallPrompt, strings.Replace(smallUI, `[1,1,0,2,0`, `[1,1,1,2,0`, 1), job.WarnOtherJob, "2"},
		"one node more":         {smallPrompt, strings.Replace(smallUI, `"nodes":[`, `"nodes":[{"id":5,"type":"X"},`, 1), job.WarnOtherJob, "5"},
		"a note more":           {smallPrompt, strings.Replace(smallUI, `"nodes":[`, `"nodes":[{"id":5,"type":"Note"},`, 1), "", ""},
		"a muted node more":     {smallPrompt, strings.Replace(smallUI, `"nodes":[`, `"nodes":[{"id":5,"type":"X","mode":2},`, 1), "", ""},
		"what ran is cut short": {smallPrompt[:40], smallUI, job.WarnPromptLost, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := readString(pngOf(pngChunk("tEXt", "prompt\x00"+c.prompt), pngChunk("tEXt", "workflow\x00"+c.ui)))
			if err != nil {
				t.Fatal(err)
			}
			if c.warning != job.WarnPromptLost && (string(f.Graph.Raw) != c.prompt || f.NeedsClasses()) {
				t.Errorf("would send %s", f.Graph.Raw)
			}
			switch {
			case c.warning == "" && len(f.Warnings) > 0:
				t.Errorf("warnings %+v, want none", f.Warnings)
			case c.warning != "" && (len(f.Warnings) != 1 || f.Warnings[0].Code != c.warning || f.Warnings[0].Args.Node != c.node):
				t.Errorf("warnings %+v, want %s of %q", f.Warnings, c.warning, c.node)
			}
			// the user may want the other one
			if _, err := f.Convert(job.Classes{}); job.CodeOf(err) != job.ErrUnknownClass {
				t.Errorf("converting the workflow gives %v", err)
			}
		})
	}
}

func TestReadFindsTextsInEveryPlace(t *testing.T) {
	itxt := "prompt\x00\x00\x00en\x00\x00" + smallPrompt
	exif := func(data string) string {
		chunk := "EXIF" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(data)))) + data
		body := "WEBPVP8X\x0a\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00" + chunk
		return "RIFF" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(body)))) + body
	}
	tiff := func(offset uint32) string {
		value := "prompt:" + smallPrompt + "\x00"
		b := []byte("II*\x00\x08\x00\x00\x00\x01\x00\x10\x01\x02\x00")
		b = binary.LittleEndian.AppendUint32(b, uint32(len(value)))
		b = binary.LittleEndian.AppendUint32(b, offset)
		return string(b) + "\x00\x00\x00\x00" + value
	}
	for name, file := range map[string]string{
		"iTXt":                          pngOf(pngChunk("iTXt", itxt)),
		"after the pixels":              pngOf(pngChunk("IDAT", "xxxx"), pngChunk("tEXt", "prompt\x00"+smallPrompt)),
		"EXIF":                          exif(tiff(26)),
		"EXIF with a mark before":       exif("Exif\x00\x00" + tiff(26)),
		"EXIF whose offsets are wrong":  exif("Exif\x00\x00" + tiff(32)),
		"EXIF whose offsets lead away":  exif(tiff(1 << 30)),
		"a body in a comment of a FLAC": "fLaC\x84" + flacComments("COMMENT="+`{"prompt":`+smallPrompt+`}`),
		"a FLAC behind an ID3 tag":      "ID3\x04\x00\x00\x00\x00\x00\x00fLaC\x84" + flacComments("Prompt="+smallPrompt),
		"ID3 in UTF-16":                 "ID3\x03\x00\x00" + id3("TXXX", "\x01\xff\xfe"+string(utf16le("prompt\x00\ufeff"+smallPrompt))),
		"a QuickTime text":              box("ftyp", "qt  ") + box("moov", box("udta", box("\xa9cmt", text16(`{"prompt":`+smallPrompt+`}`)))),
		"a box of 64 bits":              box("ftyp", "isom") + "\x00\x00\x00\x01mdat" + "\x00\x00\x00\x00\x00\x00\x00\x11x" + savedVideo(),
		"a live WEBM":                   "\x1a\x45\xdf\xa3\x80" + "\x18\x53\x80\x67\xff" + "\x1f\x43\xb6\x75\xff\xe7\x81\x00" + mkvTags(),
	} {
		t.Run(name, func(t *testing.T) {
			f, err := readString(file)
			if err != nil || string(f.Graph.Raw) != smallPrompt {
				t.Errorf("got %s, %v", f.Graph.Raw, err)
			}
		})
	}
}

func flacComments(fields ...string) string {
	b := []byte("\x00\x00\x00\x00")
	b = binary.LittleEndian.AppendUint32(b, uint32(len(fields)))
	for _, f := range fields {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(f)))
		b = append(b, f...)
	}
	n := len(b)
	return string([]byte{byte(n >> 16), byte(n >> 8), byte(n)}) + string(b)
}

func id3(frame, body string) string {
	n := len(body)
	data := frame + string(binary.BigEndian.AppendUint32(nil, uint32(n))) + "\x00\x00" + body
	n = len(data)
	return string([]byte{byte(n >> 21), byte(n >> 14 & 0x7f), byte(n >> 7 & 0x7f), byte(n & 0x7f)}) + data
}

func box(name, body string) string {
	return string(binary.BigEndian.AppendUint32(nil, uint32(len(body)+8))) + name + body
}

func text16(s string) string {
	return string(binary.BigEndian.AppendUint16(nil, uint16(len(s)))) + "\x00\x00" + s
}

// savedVideo is the metadata that SaveVideo writes.
func savedVideo() string {
	keys := box("keys", "\x00\x00\x00\x00\x00\x00\x00\x01"+box("mdta", "prompt"))
	item := box("\x00\x00\x00\x01", box("data", "\x00\x00\x00\x01\x00\x00\x00\x00"+smallPrompt))
	meta := box("hdlr", strings.Repeat("\x00", 24)) + keys + box("ilst", item)
	return box("moov", box("udta", box("meta", "\x00\x00\x00\x00"+meta)))
}

func element(id, body string) string {
	return id + string([]byte{0x10 | byte(len(body)>>24), byte(len(body) >> 16), byte(len(body) >> 8), byte(len(body))}) + body
}

func mkvTags() string {
	simple := element("\x67\xc8", element("\x45\xa3", "PROMPT")+element("\x44\x87", smallPrompt))
	return element("\x12\x54\xc3\x67", element("\x73\x73", simple))
}

// sparse is a large file with bytes at its two ends and zeros between. It counts
// what is read of it.
type sparse struct {
	head, tail string
	size       int64
	read       int64
}

func (s *sparse) ReadAt(p []byte, at int64) (int, error) {
	s.read += int64(len(p))
	for i := range p {
		switch pos := at + int64(i); {
		case pos >= s.size:
			return i, io.EOF
		case pos < int64(len(s.head)):
			p[i] = s.head[pos]
		case pos >= s.size-int64(len(s.tail)):
			p[i] = s.tail[pos-(s.size-int64(len(s.tail)))]
		default:
			p[i] = 0
		}
	}
	return len(p), nil
}

func TestReadOfALargeVideoReadsItsHeadersOnly(t *testing.T) {
	const size = 4 << 30
	tail := savedVideo()
	head := box("ftyp", "isom") + "\x00\x00\x00\x01mdat"
	length := uint64(size - len(box("ftyp", "isom")) - len(tail))
	video := &sparse{head: head + string(binary.BigEndian.AppendUint64(nil, length)), tail: tail, size: size}
	f, err := jobfile.ReadFrom(video, size, "long.mp4")
	if err != nil || string(f.Graph.Raw) != smallPrompt {
		t.Fatalf("got %s, %v", f.Graph.Raw, err)
	}
	if video.read > 64<<10 {
		t.Errorf("%d bytes of it were read", video.read)
	}
}

func TestReadOfALargeFileThatIsNothingIsBounded(t *testing.T) {
	for name, head := range map[string]string{
		"a video of empty boxes": box("ftyp", "isom"),
		"a picture":              "\x89PNG\r\n\x1a\n",
		"a WEBM":                 "\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\xff",
		"a sound":                "fLaC",
		"text":                   "{",
		"an unknown kind":        "\xff\xd8\xff",
	} {
		file := &sparse{head: head, size: 4 << 30}
		start := time.Now()
		_, err := jobfile.ReadFrom(file, file.size, "x")
		if job.CodeOf(err) == "" || file.read > 8<<20 || time.Since(start) > 10*time.Second {
			t.Errorf("%s: %v after %d bytes", name, err, file.read)
		}
	}
}

func TestReadTellsTroubleWithTheDisk(t *testing.T) {
	cause := errors.New("the disk went away")
	_, err := jobfile.ReadFrom(failing{cause}, 100, "x.mp4")
	if job.CodeOf(err) != job.ErrUnreadable || !errors.Is(err, cause) {
		t.Errorf("error %v, want %s with its cause", err, job.ErrUnreadable)
	}
}

type failing struct{ err error }

func (f failing) ReadAt(p []byte, _ int64) (int, error) { return iotest.ErrReader(f.err).Read(p) }

func TestReadKeepsTheSourceOfATextAsItIs(t *testing.T) {
	data := open(t, "broken/bom_utf8_api.json")
	f, err := jobfile.Read(bytes.NewReader(data), "x.json")
	if err != nil || !bytes.Equal(f.Source, data) {
		t.Errorf("kept %.20q, %v", f.Source, err)
	}
}

// FuzzMedia changes pictures, videos and sounds in any way.
func FuzzMedia(f *testing.F) {
	for _, dir := range []string{"media", "broken"} {
		files, err := filepath.Glob(filepath.Join("testdata", dir, "*"))
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range files {
			data := open(f, dir+"/"+filepath.Base(name))
			f.Add(data)
		}
	}
	f.Add([]byte(box("ftyp", "qt  ") + savedVideo()))
	f.Add([]byte("\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\xff" + mkvTags()))
	f.Add([]byte("ID3\x03\x00\x00" + id3("TXXX", "\x00prompt\x00"+smallPrompt)))
	f.Add([]byte("ID3\x04\x00\xc0" + id3("TXXX", "\x03prompt\x00"+smallPrompt)))
	f.Add([]byte(pngOf(pngChunk("zTXt", "prompt\x00\x00x\x9c"), pngChunk("iTXt", "prompt\x00\x01\x00\x00\x00"))))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := &countedReader{r: bytes.NewReader(data)}
		_, err := jobfile.ReadFrom(r, int64(len(data)), "fuzz")
		if err != nil && job.CodeOf(err) == "" {
			t.Fatalf("error %v without code", err)
		}
		if most := int64(len(data))*16 + 1<<16; r.n > most {
			t.Fatalf("%d bytes of %d were read", r.n, len(data))
		}
	})
}

type countedReader struct {
	r io.ReaderAt
	n int64
}

func (c *countedReader) ReadAt(p []byte, at int64) (int, error) {
	c.n += int64(len(p))
	return c.r.ReadAt(p, at)
}

package sim

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// files are the folders of a server, in memory: "input", "output" and "temp".
// They are bounded: when they grow over maxFileBytes, the oldest outputs go.
type files struct {
	mu    sync.Mutex
	byKey map[string]*file // "output/sub/name.png"
	order []string
	bytes int
}

type file struct {
	data []byte
	at   time.Time
}

const maxFileBytes = 512 << 20

func newFiles() *files { return &files{byKey: map[string]*file{}} }

func key(folder, sub, name string) string { return path.Join(folder, sub, name) }

func (f *files) put(k string, data []byte, at time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.store(k, data, at)
}

// store adds a file. The lock must be held.
func (f *files) store(k string, data []byte, at time.Time) {
	if old, ok := f.byKey[k]; ok {
		f.bytes -= len(old.data)
	} else {
		f.order = append(f.order, k)
	}
	f.byKey[k] = &file{data, at}
	f.bytes += len(data)
	for i := 0; f.bytes > maxFileBytes && i < len(f.order)-1; {
		if strings.HasPrefix(f.order[i], "input/") {
			i++
			continue
		}
		f.drop(i)
	}
}

func (f *files) drop(i int) {
	k := f.order[i]
	f.bytes -= len(f.byKey[k].data)
	delete(f.byKey, k)
	f.order = append(f.order[:i:i], f.order[i+1:]...)
}

func (f *files) get(k string) (*file, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	found, ok := f.byKey[k]
	return found, ok
}

func (f *files) wipeTemp() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := 0; i < len(f.order); {
		if strings.HasPrefix(f.order[i], "temp/") {
			f.drop(i)
			continue
		}
		i++
	}
}

// names lists the files at the top of a folder.
func (f *files) names(folder string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	names := []string{}
	for k := range f.byKey {
		if rest, ok := strings.CutPrefix(k, folder+"/"); ok && !strings.Contains(rest, "/") {
			names = append(names, rest)
		}
	}
	slices.Sort(names)
	return names
}

// hasInput tells whether a LoadImage name is there; "name [output]" means
// another folder.
func (f *files) hasInput(name string) bool {
	folder := "input"
	for _, other := range []string{"input", "output", "temp"} {
		if rest, ok := strings.CutSuffix(name, " ["+other+"]"); ok {
			name, folder = rest, other
		}
	}
	_, ok := f.get(key(folder, "", name))
	return ok
}

// create writes a file under the next free number of its prefix, found by
// looking at the folder as the server does, and gives its name.
func (f *files) create(folder, sub, prefix, ending string, data []byte, at time.Time) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	last, start := 0, key(folder, sub, prefix)+"_"
	for k := range f.byKey {
		rest, ok := strings.CutPrefix(k, start)
		if !ok {
			continue
		}
		digits, _, _ := strings.Cut(rest, "_")
		if n, err := strconv.Atoi(digits); err == nil {
			last = max(last, n)
		}
	}
	name := fmt.Sprintf("%s_%05d_%s", prefix, last+1, ending)
	f.store(key(folder, sub, name), data, at)
	return name
}

// view serves a file as GET /view does.
func (p *process) view(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if !q.Has("filename") {
		answer(w, http.StatusNotFound, "", nil)
		return
	}
	name, folder := q.Get("filename"), "output"
	if q.Has("type") {
		folder = q.Get("type")
	}
	if name == "" || name[0] == '/' || strings.Contains(name, "..") ||
		!slices.Contains([]string{"output", "input", "temp"}, folder) {
		answer(w, http.StatusBadRequest, "", nil)
		return
	}
	subfolder := p.srv.slashed(q.Get("subfolder"))
	sub := path.Clean("/x/" + subfolder)
	if path.IsAbs(subfolder) || (sub != "/x" && !strings.HasPrefix(sub, "/x/")) {
		answer(w, http.StatusForbidden, "", nil)
		return
	}
	name = path.Base(name)
	if folder == "temp" && p.srv.faults.get().LoseTemp {
		answer(w, http.StatusNotFound, "", nil)
		return
	}
	found, ok := p.srv.files.get(key(folder, strings.TrimPrefix(sub, "/x"), name))
	if !ok {
		answer(w, http.StatusNotFound, "", nil)
		return
	}
	if p.srv.faults.spend(func(f *Faults) *int { return &f.ShortViews }) {
		truncated(w, found.data)
		return
	}
	if q.Has("preview") {
		preview(w, found.data)
		return
	}
	h := w.Header()
	h.Set("Content-Disposition", `filename="`+name+`"`)
	h.Set("Content-Type", contentType(name))
	h.Set("Etag", fmt.Sprintf(`"%x-%x"`, found.at.UnixNano(), len(found.data)))
	http.ServeContent(w, r, name, found.at, bytes.NewReader(found.data))
}

// slashed is a path as the folders here have it.
func (s *Server) slashed(name string) string {
	if s.spec.Windows {
		return strings.ReplaceAll(name, `\`, "/")
	}
	return name
}

// shown is a path as the server writes it.
func (s *Server) shown(name string) string {
	if s.spec.Windows {
		return strings.ReplaceAll(name, "/", `\`)
	}
	return name
}

// preview makes a JPEG of a picture. The real server can also make WEBP; both
// are what a browser shows, and the reply says which it is.
func preview(w http.ResponseWriter, data []byte) {
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		answerFault(w)
		return
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 90}); err != nil {
		answerFault(w)
		return
	}
	answer(w, http.StatusOK, "image/jpeg", b.Bytes())
}

func contentType(name string) string {
	switch path.Ext(name) {
	case ".png":
		return "image/png"
	case ".webp":
		return "image/webp"
	case ".mp4":
		return "video/mp4"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	}
	return "application/octet-stream"
}

// upload stores a file as POST /upload/image does: the same content under the
// same name is kept once, another content gets a number.
func (p *process) upload(w http.ResponseWriter, r *http.Request) {
	form, err := r.MultipartReader()
	if err != nil {
		answerFault(w)
		return
	}
	fields := map[string]string{}
	var name string
	var data []byte
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			answerUnread(w, r, err)
			return
		}
		b, err := io.ReadAll(part)
		if err != nil {
			answerUnread(w, r, err)
			return
		}
		if part.FormName() == "image" {
			name, data = rawFileName(part.Header.Get("Content-Disposition")), b
			continue
		}
		fields[part.FormName()] = string(b)
	}
	p.storeUpload(w, name, data, fields)
}

// rawFileName reads the file's name without cutting off its folders: judging
// them is the handler's work.
func rawFileName(disposition string) string {
	_, rest, ok := strings.Cut(disposition, `filename="`)
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, `"`)
	return name
}

func (p *process) storeUpload(w http.ResponseWriter, name string, data []byte, fields map[string]string) {
	folder := "input"
	if f, ok := fields["type"]; ok {
		folder = f
	}
	if !slices.Contains([]string{"input", "output", "temp"}, folder) {
		answerFault(w)
		return
	}
	sub := fields["subfolder"]
	inside := path.Clean(path.Join("/x", sub, name))
	if name == "" || !strings.HasPrefix(inside, "/x/") {
		answer(w, http.StatusBadRequest, "", nil)
		return
	}
	at := p.srv.pace.clock.Now().Wall
	overwrite := fields["overwrite"] == "true" || fields["overwrite"] == "1"
	stem, ending := strings.TrimSuffix(name, path.Ext(name)), path.Ext(name)
	final := name
	for i := 1; !overwrite; i++ {
		old, taken := p.srv.files.get(key(folder, sub, final))
		if !taken || bytes.Equal(old.data, data) {
			break
		}
		final = fmt.Sprintf("%s (%d)%s", stem, i, ending)
	}
	p.srv.files.put(key(folder, sub, final), data, at)
	answerJSON(w, http.StatusOK, obj("name", final, "subfolder", sub, "type", folder))
}

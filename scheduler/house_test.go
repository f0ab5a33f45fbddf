package scheduler_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// house is the table of DESIGN.md: which packages of ours a package may import,
// and what of the outside it must never import. A key ending in "/..." covers a
// whole tree.
var house = []struct {
	pkg   string
	may   []string
	never []string
}{
	{pkg: "scheduler/job", never: []string{"*", "net/http", "os", "math/rand", "crypto/rand"}},
	{pkg: "scheduler/estimate", may: []string{"scheduler/job"}, never: []string{"os", "net", "net/http"}},
	{
		pkg: "scheduler/estimate/evaluate", may: []string{"scheduler/job", "scheduler/estimate"},
		never: []string{"os", "net", "net/http"},
	},
	{pkg: "scheduler/note", may: []string{"scheduler/job"}, never: []string{"os", "net", "net/http"}},
	{pkg: "scheduler/jobfile", may: []string{"scheduler/job"}, never: []string{"os", "net", "net/http"}},
	{
		pkg: "scheduler/core", may: []string{"scheduler/job", "scheduler/estimate", "scheduler/note"},
		never: []string{"os", "net", "net/http", "math/rand", "math/rand/v2", "crypto/rand", "sync", "context", "log/slog"},
	},
	{pkg: "scheduler/remote", may: []string{"scheduler/job"}, never: []string{fyne, bbolt}},
	{pkg: "scheduler/comfy", may: []string{"scheduler/job", "scheduler/remote"}, never: []string{fyne, bbolt}},
	{pkg: "scheduler/gpu", may: []string{"scheduler/job", "scheduler/remote"}, never: []string{fyne, bbolt}},
	{pkg: "scheduler/transfer", may: []string{"scheduler/job", "scheduler/jobfile"}, never: []string{fyne, bbolt}},
	{
		pkg: "scheduler",
		may: []string{
			"scheduler/job", "scheduler/core", "scheduler/estimate", "scheduler/note", "scheduler/jobfile", "scheduler/remote",
		},
		never: []string{fyne, bbolt, "net/http", websocket},
	},
	{pkg: "scheduler/sim", may: []string{"scheduler/job"}, never: []string{fyne, bbolt}},
	{pkg: "store", may: []string{"scheduler/job", "scheduler/estimate", "scheduler/note"}, never: []string{fyne, "net/http"}},
	{pkg: "store/secret", may: []string{"scheduler/job"}, never: []string{fyne, "net/http"}},
	{pkg: "assets", never: []string{fyne, bbolt, "net/http"}},
	{pkg: "assets/text", may: []string{"scheduler/job"}, never: []string{fyne, bbolt, "net/http"}},
	{pkg: "app/cli/...", may: []string{"*"}, never: []string{fyne, "reckoner/app"}},
	{
		pkg:   "app/...",
		may:   []string{"app/...", "scheduler", "scheduler/job", "scheduler/estimate", "scheduler/note", "assets", "assets/text"},
		never: []string{bbolt, "net/http", websocket},
	},
	{pkg: "app/desktop", may: []string{"app", "app/cli", "assets/text", "scheduler/job"}, never: []string{fyne, bbolt, "net/http", websocket}},
	{pkg: "", may: []string{"app/cli", "app/desktop"}},
}

const (
	module    = "reckoner"
	fyne      = "fyne.io/fyne/v2"
	bbolt     = "go.etcd.io/bbolt"
	websocket = "github.com/gorilla/websocket"
)

// TestImportsFollowTheHouse reads every import of ours and fails on an edge
// that DESIGN.md does not draw. Test files may import what they need to build a
// scene, so only those of the pure packages are held to the table.
func TestImportsFollowTheHouse(t *testing.T) {
	seen := 0
	root := os.DirFS("..")
	err := fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && file != ".") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		seen++
		source, err := fs.ReadFile(root, file)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, source, parser.ImportsOnly)
		if err != nil {
			return err
		}
		pkg := path.Dir(file)
		if pkg == "." {
			pkg = ""
		}
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if why := forbidden(pkg, imported); why != "" {
				t.Errorf("%s imports %q: %s", file, imported, why)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Fatal("no Go file was read")
	}
}

func TestForbiddenKnowsTheRules(t *testing.T) {
	for _, c := range []struct {
		pkg, imported string
		bad           bool
	}{
		{"scheduler/job", "time", false},
		{"scheduler/job", "reckoner/scheduler/estimate", true},
		{"scheduler/job", "github.com/google/uuid", true},
		{"scheduler/core", "reckoner/scheduler/job", false},
		{"scheduler/core", "math/rand/v2", true},
		{"scheduler/sim", "reckoner/scheduler/comfy", true},
		{"scheduler", bbolt, true},
		{"app/queue", "fyne.io/fyne/v2/widget", false},
		{"app/queue", "reckoner/store", true},
		{"app/cli", "reckoner/store", false},
		{"app/cli", "fyne.io/fyne/v2/app", true},
		{"somewhere/new", "fmt", true},
	} {
		if got := forbidden(c.pkg, c.imported) != ""; got != c.bad {
			t.Errorf("%s importing %s: forbidden %v, want %v", c.pkg, c.imported, got, c.bad)
		}
	}
}

// forbidden says why a package may not import another one, or "".
func forbidden(pkg, imported string) string {
	for _, room := range house {
		if !covers(room.pkg, pkg) {
			continue
		}
		if slices.Contains(room.never, "*") && strings.Contains(strings.SplitN(imported, "/", 2)[0], ".") {
			return "only the standard library may be imported here"
		}
		for _, n := range room.never {
			if n == imported || (strings.Contains(n, ".") && strings.HasPrefix(imported, n+"/")) {
				return "must never be imported here"
			}
		}
		ours, ok := strings.CutPrefix(imported, module+"/")
		if !ok {
			return ""
		}
		for _, may := range room.may {
			if may == "*" || covers(may, ours) {
				return ""
			}
		}
		return "not an edge of the house"
	}
	return "this package has no place in the house; give it one in this table"
}

func covers(pattern, pkg string) bool {
	if tree, ok := strings.CutSuffix(pattern, "/..."); ok {
		return pkg == tree || strings.HasPrefix(pkg, tree+"/")
	}
	return pattern == pkg
}

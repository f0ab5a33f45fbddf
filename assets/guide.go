package assets

import (
	"cmp"
	"embed"
	"io/fs"
	"slices"
	"strings"
)

//go:embed guide/*.md
var guide embed.FS

// Chapter is a chapter of the user guide.
type Chapter struct {
	Title string
	Text  string // Markdown, without the title
}

// Guide gives the chapters of the user guide in their order, which is that of
// the files' names.
func Guide() []Chapter {
	files, err := fs.Glob(guide, "guide/*.md")
	if err != nil {
		return nil // the pattern is a constant
	}
	slices.SortFunc(files, cmp.Compare[string])
	chapters := make([]Chapter, 0, len(files))
	for _, f := range files {
		text, err := guide.ReadFile(f)
		if err != nil {
			continue // it is in the program
		}
		title, rest, _ := strings.Cut(string(text), "\n")
		chapters = append(chapters, Chapter{Title: strings.TrimPrefix(title, "# "), Text: strings.TrimSpace(rest)})
	}
	return chapters
}

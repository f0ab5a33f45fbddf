package text_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"reckoner/assets/text"
	"reckoner/scheduler/job"
)

// constant is a string constant of package job: its name, type and value.
type constant struct{ name, typ, value string }

// constants reads the string constants of package job from its source, so that
// a new code without words fails here.
func constants(t *testing.T) []constant {
	t.Helper()
	dir := filepath.Join("..", "..", "scheduler", "job")
	var list []constant
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.CONST {
				list = append(list, constantsOf(gen)...)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func constantsOf(gen *ast.GenDecl) []constant {
	var list []constant
	for _, spec := range gen.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok || len(v.Values) != 1 {
			continue
		}
		literal, ok := v.Values[0].(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			continue
		}
		value, err := strconv.Unquote(literal.Value)
		if err != nil {
			continue
		}
		c := constant{name: v.Names[0].Name, value: value}
		if typ, ok := v.Type.(*ast.Ident); ok {
			c.typ = typ.Name
		}
		list = append(list, c)
	}
	return list
}

// full are arguments with everything in them, so that no sentence has a gap.
var full = job.Args{
	Job: "harbour-night", Server: "gpu-1", Machine: "gpu-1", File: "a.json", Node: "4", Class: "KSampler",
	Input: "steps", Value: "value", Detail: "detail", Count: 3, Of: 4, Seconds: 65, UpTo: 80, Bytes: 1 << 30,
}

func TestEveryCodeHasASentence(t *testing.T) {
	said := map[string]int{}
	for _, c := range constants(t) {
		kind := ""
		for _, k := range []string{"Caption", "Story", "Say", "Ask", "Warn", "Err", "Baseline"} {
			if c.typ == "" && strings.HasPrefix(c.name, k) {
				kind = k
			}
		}
		if kind == "" {
			continue
		}
		said[kind]++
		for _, args := range []job.Args{{}, full} {
			say := job.Say{Code: c.value, Args: args}
			sentence := text.English.Say(say)
			if sentence == c.value {
				t.Errorf("%s (%s) has no sentence", c.name, c.value)
			}
			checkTone(t, c.name, sentence)
		}
		if kind == "Err" {
			checkError(t, c)
		}
	}
	for kind, least := range map[string]int{"Caption": 9, "Story": 18, "Say": 12, "Ask": 1, "Warn": 7, "Err": 40, "Baseline": 16} {
		if said[kind] < least {
			t.Errorf("found %d codes of %s, expected at least %d: is the source read?", said[kind], kind, least)
		}
	}
}

func checkError(t *testing.T, c constant) {
	t.Helper()
	for _, args := range []job.Args{{}, full} {
		what, next := text.English.Error(job.Errorf(c.value, args, nil))
		if !strings.HasSuffix(what, ".") || !strings.HasSuffix(next, ".") {
			t.Errorf("%s: %q, then %q: both must be sentences", c.name, what, next)
		}
		checkTone(t, c.name, what)
		checkTone(t, c.name, next)
	}
}

// checkTone holds the words to DESIGN.md: "your job" and "Reckoner", never
// "our"; no untested causes; no gaps left by absent arguments.
func checkTone(t *testing.T, name, sentence string) {
	t.Helper()
	lower := " " + strings.ToLower(sentence) + " "
	for _, never := range []string{" our ", " ours ", " we ", " us ", "because", "%!", "  ", " .", " ,", "()"} {
		if strings.Contains(strings.TrimSuffix(lower, " "), never) {
			t.Errorf("%s: %q has %q", name, sentence, never)
		}
	}
}

func TestEveryValueOfAWordTypeHasWords(t *testing.T) {
	l := text.English
	words := map[string]func(string) string{
		"JobOutcome":  func(v string) string { return l.Outcome(job.JobOutcome(v)) },
		"RunOutcome":  func(v string) string { return l.RunOutcome(job.RunOutcome(v)) },
		"JobState":    func(v string) string { return l.State(job.JobState(v)) },
		"Label":       func(v string) string { return l.Label(job.Label(v)) },
		"StartKind":   func(v string) string { return l.Start(job.StartKind(v)) },
		"WitnessKind": func(v string) string { return l.Witness(job.WitnessKind(v)) },
		"Answer":      func(v string) string { return l.Answer(job.Answer(v)) },
	}
	plain := map[string]bool{ // whose code is the very word that is shown
		"failed": true, "lost": true, "done": true, "cancelled": true, "succeeded": true,
		"interrupted": true, "waiting": true, "running": true, "ended": true, "needs_you": true,
	}
	found := map[string]int{}
	for _, c := range constants(t) {
		say := words[c.typ]
		if say == nil {
			continue
		}
		found[c.typ]++
		got := say(c.value)
		if got == "" || got == strings.ReplaceAll(c.value, "_", " ") && !plain[c.value] {
			t.Errorf("%s has no words: %q", c.name, got)
		}
		checkTone(t, c.name, got)
	}
	for typ := range words {
		if found[typ] == 0 {
			t.Errorf("no constant of %s was found", typ)
		}
	}
}

func TestEveryHoldCodeAndTaskHasWords(t *testing.T) {
	for _, c := range constants(t) {
		switch {
		case c.typ == "HoldCode":
			got := text.English.Hold(job.Hold{Code: job.HoldCode(c.value)})
			if !strings.HasPrefix(got, "waiting for ") || strings.Contains(got, strings.ReplaceAll(c.value, "_", " ")) {
				t.Errorf("%s has no words: %q", c.name, got)
			}
			checkTone(t, c.name, got)
		case strings.HasPrefix(c.name, "Task") && c.value != job.TaskOther:
			if got := text.English.Type(job.Type{Task: c.value}); got == "Other work" {
				t.Errorf("%s has no words", c.name)
			}
		}
	}
}

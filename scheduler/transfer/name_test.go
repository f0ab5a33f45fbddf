package transfer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestFileNameOfWhatAServerSays(t *testing.T) {
	long := strings.Repeat("é", 300)
	for name, want := range map[string]string{
		"ComfyUI_00001_.png":            "ComfyUI_00001_.png",
		"测试 (1)#%.png":                  "测试 (1)#%.png",
		"👩‍🚀 clip.mp4":                  "👩‍🚀 clip.mp4", // joined by a zero-width joiner
		"../../etc/passwd":              "passwd",
		`..\..\Windows\win.ini`:         "win.ini",
		"/etc/cron.d/job":               "job",
		`C:\autoexec.bat`:               "autoexec.bat",
		"a/b\\c/d.png":                  "d.png",
		"C:evil.png":                    "C_evil.png",
		"file.png:stream":               "file.png_stream",
		"..":                            "result",
		".":                             "result",
		"":                              "result",
		"/":                             "result",
		"dir/":                          "result",
		"   ":                           "result",
		".bashrc":                       "bashrc",
		"...hidden.png":                 "hidden.png",
		"name.png. . ":                  "name.png",
		"a\x00b\nc\x7f.png":             "a_b_c_.png",
		"gpj.\u202eexe.png":             "gpj._exe.png",
		"\ufeffbom.png":                 "_bom.png",
		`what<is>"this|?*.png`:          "what_is__this___.png",
		"CON":                           "_CON",
		"con.png":                       "_con.png",
		"nul.tar.gz":                    "_nul.tar.gz",
		"COM1 .png":                     "_COM1 .png",
		"lpt³.txt":                      "_lpt³.txt",
		"COM10.png":                     "COM10.png",
		"CONSOLE.png":                   "CONSOLE.png",
		"bad\xff\xfeutf8.png":           "bad_utf8.png",
		"no\u00a0break.png":             "no break.png",
		strings.Repeat("a", 300):        strings.Repeat("a", 200),
		long + ".png":                   strings.Repeat("é", 98) + ".png",
		"x." + strings.Repeat("y", 300): "x." + strings.Repeat("y", 198),
	} {
		if got := FileName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func FuzzFileName(f *testing.F) {
	for _, seed := range []string{
		"ComfyUI_00001_.png", "../x", `..\x`, "CON.txt", ". . .", "\x00", "\xff",
		strings.Repeat("長", 200) + ".webm", "a\u2028b", "x. . .",
		strings.Repeat(" .", 300), "_", "aux .", strings.Repeat("a", 199) + ". b",
		"CON." + strings.Repeat("a", 250), "CON" + strings.Repeat(" ", 250) + ".png",
	} {
		f.Add(seed)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, name string) {
		got := FileName(name)
		if got == "" || len(got) > maxNameBytes || !utf8.ValidString(got) {
			t.Fatalf("%q: %q", name, got)
		}
		if strings.ContainsAny(got, `/\<>:"|?*`) || strings.ContainsFunc(got, unicode.IsControl) {
			t.Fatalf("%q: %q has a forbidden character", name, got)
		}
		if got[0] == '.' || strings.HasSuffix(got, ".") || strings.HasSuffix(got, " ") || isDevice(got) {
			t.Fatalf("%q: %q begins, ends or is what no name may be", name, got)
		}
		if !filepath.IsLocal(got) || filepath.Base(got) != got {
			t.Fatalf("%q: %q leaves its folder", name, got)
		}
		if again := FileName(got); again != got {
			t.Fatalf("%q: %q becomes %q", name, got, again)
		}
		if path := filepath.Join(dir, got); os.WriteFile(path, nil, 0o600) != nil {
			t.Fatalf("%q: %q cannot be made", name, got)
		} else if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	})
}

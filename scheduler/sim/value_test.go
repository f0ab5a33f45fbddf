package sim

import (
	"bytes"
	"math"
	"testing"
)

func TestEncodeWritesAsPythonDoes(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{obj("a", 1, "b", list(true, nil)), `{"a": 1, "b": [true, null]}`},
		{8.0, "8.0"},
		{1e-5, "1e-05"},
		{1e16, "1e+16"},
		{-5.0, "-5.0"},
		{math.NaN(), "NaN"},
		{math.Inf(-1), "-Infinity"},
		{"é😀\n\"", "\"\\u00e9\\ud83d\\ude00\\n\\\"\""},
	} {
		if got := string(encode(c.v)); got != c.want {
			t.Errorf("encode(%v) = %s, want %s", c.v, got, c.want)
		}
	}
}

func TestDecodeKeepsOrderAndBigNumbers(t *testing.T) {
	const text = `{"z": 18446744073709551615, "a": [1, 2.0], "z2": {"y": null}}`
	v, err := decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(encode(v)); got != text {
		t.Errorf("got %s, want %s", got, text)
	}
	for _, bad := range []string{"", "{broken", `{"a": 1} x`, "[1,"} {
		if _, err := decode([]byte(bad)); err == nil {
			t.Errorf("decode(%q): no error", bad)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"a": [1, 2.5, "x", null, true]}`, "[[[[", `"\ud83d"`, "1e999", "-0", `{"a": 1, "a": 2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := decode(b)
		if err != nil {
			return
		}
		once := encode(v)
		again, err := decode(once)
		if err != nil {
			if math.IsInf(firstFloat(v), 0) {
				return // Python writes Infinity, which is not JSON
			}
			t.Fatalf("what was written cannot be read: %s: %v", once, err)
		}
		if got := encode(again); !bytes.Equal(got, once) {
			t.Errorf("%s became %s", once, got)
		}
	})
}

// firstFloat gives an infinite float in a value, or 0.
func firstFloat(v any) float64 {
	switch t := v.(type) {
	case float64:
		return t
	case []any:
		for _, e := range t {
			if f := firstFloat(e); math.IsInf(f, 0) {
				return f
			}
		}
	case *object:
		for _, k := range t.keys {
			if f := firstFloat(t.vals[k]); math.IsInf(f, 0) {
				return f
			}
		}
	}
	return 0
}

func FuzzParseScenario(f *testing.F) {
	for _, name := range ScenarioNames() {
		b, err := scenarioFiles.ReadFile("scenarios/" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"machines": [{"name": "m", "gpus": [], "servers": [{"name": "s", "gpu": 3}]}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ParseScenario(b)
		if err != nil {
			return
		}
		for _, m := range s.Machines {
			for _, sv := range m.Servers {
				if sv.GPU < 0 || sv.GPU >= len(m.GPUs) {
					t.Errorf("server %s was let through on GPU %d of %d", sv.Name, sv.GPU, len(m.GPUs))
				}
			}
		}
	})
}

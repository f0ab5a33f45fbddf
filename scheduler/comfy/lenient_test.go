package comfy

import (
	"encoding/json"
	"testing"
)

func TestBareNaNBecomesNullOutsideStrings(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"a":[NaN,-Infinity,Infinity,-1]}`, `{"a":[null,null,null,-1]}`},
		{`{"a":"NaN \"Infinity\" \\","b":NaN}`, `{"a":"NaN \"Infinity\" \\","b":null}`},
		{`{"NaN":"-Infinity"}`, `{"NaN":"-Infinity"}`},
		{`{"seed":18446744073709551615}`, `{"seed":18446744073709551615}`},
		{`"NaN\`, `"NaN\`},
	} {
		if got := string(plainJSON([]byte(c.in))); got != c.want {
			t.Errorf("%s: %s, want %s", c.in, got, c.want)
		}
	}
}

func TestFieldsOfAnotherTypeAreAsGoodAsAbsent(t *testing.T) {
	o, ok := asObject([]byte(`{"s":5,"n":"5","big":1e400,"half":0.5,"l":{},"o":[],"null":null}`))
	if !ok {
		t.Fatal("no object")
	}
	if o.text("s") != "5" || o.text("null") != "" || o.text("o") != "" {
		t.Error("texts")
	}
	for _, key := range []string{"n", "big", "null", "gone"} {
		if _, ok := o.number(key); ok {
			t.Errorf("%s is a number", key)
		}
	}
	if _, ok := o.int64("half"); ok {
		t.Error("half is whole")
	}
	if o.list("l") != nil || o.object("o") != nil || o.object("null").text("x") != "" {
		t.Error("lists and objects")
	}
}

func TestFieldsKeepTheirOrder(t *testing.T) {
	got, ok := fields([]byte(`{"10":1,"9":{"z":0,"a":1},"57:8":[]}`))
	if !ok || len(got) != 3 || got[0].name != "10" || got[1].name != "9" || got[2].name != "57:8" {
		t.Errorf("%v, %v", got, ok)
	}
	for _, bad := range []string{``, `[]`, `null`, `{"a":1`, `{"a"}`, `5`} {
		if _, ok := fields(json.RawMessage(bad)); ok {
			t.Errorf("%q is an object", bad)
		}
	}
}

func TestClipKeepsWholeCharacters(t *testing.T) {
	if got := clip("  äöü  ", 3); got != "ä…" {
		t.Errorf("%q", got)
	}
	if got := clip("a\xffb", 10); got != "a\uFFFDb" {
		t.Errorf("%q", got)
	}
}

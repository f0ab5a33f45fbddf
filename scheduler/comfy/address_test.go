package comfy

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestAnAddressIsSplitIntoWhatMayBeShownAndWhatOpensIt(t *testing.T) {
	for _, c := range []struct{ raw, base, request, socket string }{
		{"http://gpu-1:8188", "http://gpu-1:8188", "http://gpu-1:8188/api/queue", "ws://gpu-1:8188/ws?clientId=me"},
		{"gpu-1:8188/", "http://gpu-1:8188", "http://gpu-1:8188/api/queue", "ws://gpu-1:8188/ws?clientId=me"},
		{
			"https://u:sesame@host/a/b/?token=open%20up", "https://host/a/b",
			"https://host/a/b/api/queue?token=open+up", "wss://host/a/b/ws?clientId=me&token=open+up",
		},
		{
			" http://[::1]:8188/x%20y#frag ", "http://[::1]:8188/x%20y", "http://[::1]:8188/x%20y/api/queue",
			"ws://[::1]:8188/x%20y/ws?clientId=me",
		},
	} {
		a, err := splitAddress(c.raw, nil)
		if err != nil {
			t.Fatal(err)
		}
		if a.base != c.base || a.url("/api/queue", nil) != c.request || a.socket("me") != c.socket {
			t.Errorf("%q: %q %q %q", c.raw, a.base, a.url("/api/queue", nil), a.socket("me"))
		}
	}
}

func TestABadAddressIsRefusedWithoutRepeatingIt(t *testing.T) {
	for _, raw := range []string{
		"", "ftp://u:sesame@host", "http://", "http://u:sesame@ho st/", "http://u:sesame@host:x/",
	} {
		if _, err := New(Options{URL: raw}); err == nil || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%q: %v", raw, err)
		}
	}
}

func TestHeadersOfAWebPageAreNeverSent(t *testing.T) {
	a, err := splitAddress("http://user:sesame@host", http.Header{
		"origin": {"http://evil"}, "Sec-Fetch-Site": {"cross-site"}, "X-Api-Key": {"hidden-key"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Origin", "Sec-Fetch-Site"} {
		if a.header.Get(name) != "" {
			t.Errorf("%s is sent", name)
		}
	}
	if a.header.Get("X-Api-Key") != "hidden-key" || a.header.Get("Authorization") != "Basic dXNlcjpzZXNhbWU=" {
		t.Errorf("sent: %v", a.header)
	}
}

func TestSecretsAreScrubbedFromTexts(t *testing.T) {
	a, err := splitAddress("http://user:sesame@host?token=tok/en", http.Header{"Authorization": {"Bearer bear-er"}})
	if err != nil {
		t.Fatal(err)
	}
	text := a.scrub("sesame tok/en " + url.QueryEscape("tok/en") + " bear-er said host")
	if text != "*** *** *** *** said host" {
		t.Errorf("%q", text)
	}
}

package cli

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Given a render server that asks for a login, then its gauge is read with what
// RECKONER_AUTH has for it, and says so without.
func TestAGaugeIsReadWithWhatOpensItsServer(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "me" || password != "sesame" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(`{"system":{},"devices":[{"name":"cuda:0 Test GPU : native","type":"cuda","index":0,` +
			`"vram_total":17179869184,"vram_free":8589934592,"torch_vram_total":0,"torch_vram_free":0}]}`))
	}))
	defer s.Close()
	read := func(auth string) (int, string) {
		var out, told bytes.Buffer
		status := Run(t.Context(), []string{"gpu", "--json", "--once", "comfy:" + s.URL}, Env{
			Stdout: &out, Stderr: &told, Getenv: func(name string) string {
				return map[string]string{"RECKONER_AUTH": auth}[name]
			},
		})
		return status, out.String() + told.String()
	}
	if status, said := read(""); status != exitNoPeer || !strings.Contains(said, "login") {
		t.Errorf("without a word: status %d, %s", status, said)
	}
	status, said := read(s.URL + " me:sesame")
	if status != exitDone || !strings.Contains(said, `"mem_total_b":17179869184`) || strings.Contains(said, "sesame") {
		t.Errorf("with it: status %d, %s", status, said)
	}
}

package jobfile

import (
	"testing"

	"reckoner/scheduler/job"
)

func TestModelsAreMatchedToTheServersNames(t *testing.T) {
	for name, c := range map[string]struct {
		choices []string
		want    string // "" for none
	}{
		"separators":        {[]string{"other.safetensors", "wan/a.safetensors"}, `"wan/a.safetensors"`},
		"folder":            {[]string{"old/a.safetensors"}, `"old/a.safetensors"`},
		"folders win":       {[]string{"old/a.safetensors", "wan/a.safetensors"}, `"wan/a.safetensors"`},
		"two could be":      {[]string{"x/a.safetensors", "y/a.safetensors"}, ""},
		"there already":     {[]string{`wan\a.safetensors`, "a.safetensors"}, ""},
		"another version":   {[]string{"wan/a_v2.safetensors"}, ""},
		"nothing is listed": {nil, ""},
	} {
		classes := job.Classes{"UNETLoader": {Inputs: []job.ClassInput{{Name: "unet_name", Type: "COMBO", Choices: c.choices}}}}
		got := MatchModels(raw(`{"1":{"class_type":"UNETLoader","inputs":{"unet_name":"wan\\a.safetensors"}}}`), classes)
		if len(got) == 0 && c.want == "" {
			continue
		}
		if len(got) != 1 || string(got[0].New) != c.want || got[0].Node != "1" {
			t.Errorf("%s: %+v, want %s", name, got, c.want)
		}
	}
}

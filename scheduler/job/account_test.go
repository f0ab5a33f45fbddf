package job

import (
	"encoding/json"
	"testing"
)

func TestNodesOfAPaidServiceAreKnown(t *testing.T) {
	for name, want := range map[string]bool{
		`{"input":{"required":{}},"output":["IMAGE"],"api_node":true}`:                                true,
		`{"input":{"required":{},"hidden":{"auth_token":"AUTH_TOKEN_COMFY_ORG"}},"output":["IMAGE"]}`: true,
		`{"input":{"required":{},"hidden":{"comfy_api_key":"API_KEY_COMFY_ORG"}},"output":["IMAGE"]}`: true,
		`{"input":{"required":{},"hidden":{"prompt":"PROMPT","id":"UNIQUE_ID"}},"output":["IMAGE"]}`:  false,
		`{"input":{"required":{},"hidden":["no","object"]},"output":["IMAGE"],"api_node":false}`:      false,
		`{"input":{"required":{}},"output":["IMAGE"]}`:                                                false,
	} {
		var classes Classes
		if err := json.Unmarshal([]byte(`{"X":`+name+`}`), &classes); err != nil || len(classes) != 1 {
			t.Fatalf("%s: %v, %v", name, classes, err)
		}
		if got := classes["X"].Account; got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

package sim

import (
	"fmt"
	"slices"
	"strings"
)

// protocol holds in what the versions of the render server differ. The facts
// come from recordings of the three versions.
type protocol struct {
	name    string
	version string // system_stats.system.comfyui_version
	os      string

	ownIDs          bool // the prompt_id of the sender is used
	canonicalIDs    bool // and must be a lower-case UUID
	targetedStop    bool // an interrupt with an id stops only that prompt
	progressState   bool
	features        bool // GET /features, and flags over the websocket
	historyOffset   bool
	jobsAPI         bool // GET /api/jobs and the cancel endpoints
	createTime      bool // extra_data.create_time
	plainNoPrompt   bool // {"error": "no prompt"}, node_errors a list
	missingNodeType bool // the newer words for an unknown class
	errorTips       bool // exception_message ends with a line break and tips
	partialTargets  bool
}

var protocols = []protocol{
	{
		name: "2024-11", version: "unknown", os: "posix", plainNoPrompt: true,
	},
	{
		name: "0.3.64", version: "0.3.64", os: "posix",
		ownIDs: true, targetedStop: true, progressState: true, features: true,
		historyOffset: true, errorTips: true, partialTargets: true,
	},
	{
		name: "0.27.0", version: "0.27.0", os: "linux",
		ownIDs: true, canonicalIDs: true, targetedStop: true, progressState: true, features: true,
		historyOffset: true, jobsAPI: true, createTime: true, missingNodeType: true, errorTips: true,
		partialTargets: true,
	},
}

// DefaultProtocol is the version that is simulated when none is named.
const DefaultProtocol = "0.3.64"

// Protocols lists the versions that can be simulated.
func Protocols() []string {
	names := make([]string, len(protocols))
	for i, p := range protocols {
		names[i] = p.name
	}
	return names
}

func protocolNamed(name string) (protocol, error) {
	if name == "" {
		name = DefaultProtocol
	}
	i := slices.IndexFunc(protocols, func(p protocol) bool { return p.name == name })
	if i < 0 {
		return protocol{}, fmt.Errorf("no protocol %q to simulate; known are %s", name, strings.Join(Protocols(), ", "))
	}
	return protocols[i], nil
}

package sim

import (
	"fmt"
	"slices"
	"strings"
)

// protocol holds in what the versions of the render server differ, a switch for
// each. The facts come from recordings of three versions ("2024-11", "0.3.64"
// and "0.27.0") and, for the others, from the history of the server's code.
type protocol struct {
	name    string
	version string // system_stats.system.comfyui_version; "" says nothing
	os      string

	apiPrefix       bool // every route also under /api (June 2024)
	success         bool // execution_success (July 2024)
	stamps          bool // the times in messages (July 2024)
	stepIDs         bool // prompt_id and node in progress (January 2024)
	status          bool // status in a record (January 2024)
	display         bool // display_node, and meta in a record (August 2024)
	models          bool // GET /models (September 2024)
	originCheck     bool // 403 for a page from elsewhere (September 2024)
	fetchCheck      bool // 403 for Sec-Fetch-Site: cross-site (2026)
	ownIDs          bool // the prompt_id of the sender is used (0.3.45)
	canonicalIDs    bool // and must be a lower-case UUID (2026)
	targetedStop    bool // an interrupt with an id stops only that prompt (0.3.57)
	progressState   bool // (0.3.45)
	progressToAll   bool // and everybody gets it (until 0.3.58)
	features        bool // GET /features, and flags over the websocket (0.3.45)
	historyOffset   bool // (0.3.60)
	jobsAPI         bool // GET /api/jobs and the cancel endpoints (2026)
	createTime      bool // extra_data.create_time (2026)
	plainNoPrompt   bool // {"error": "no prompt"}, node_errors a list (before 0.3.28)
	missingNodeType bool // the newer words for an unknown class (2026)
	errorTips       bool // exception_message ends with a line break and tips (0.3.42)
	partialTargets  bool // (0.3.48)
	activity        bool // progress_state says what loads (2026)

	front front // what stands before the server
}

// recorded names the versions of which there are recordings, which the
// simulation repeats message by message.
var recordedVersions = []string{"2024-11", "0.3.64", "0.27.0"}

// protocols gives the profiles, the oldest first; each adds to the one before.
func protocols() []protocol {
	var all []protocol
	p := protocol{os: "posix", plainNoPrompt: true}
	add := func(name, version string, change func()) {
		p.name, p.version = name, version
		change()
		all = append(all, p)
	}
	add("legacy-2023-07", "", func() {})
	add("legacy-2024-01", "", func() { p.stepIDs, p.status = true, true })
	add("2024-11", "unknown", func() {
		p.apiPrefix, p.success, p.stamps, p.display, p.models, p.originCheck = true, true, true, true, true, true
	})
	add("0.3.27", "0.3.27", func() {})
	add("0.3.44", "0.3.44", func() { p.plainNoPrompt, p.errorTips = false, true })
	add("0.3.56", "0.3.56", func() {
		p.ownIDs, p.features, p.partialTargets, p.progressState, p.progressToAll = true, true, true, true, true
	})
	add("0.3.64", "0.3.64", func() { p.targetedStop, p.progressToAll, p.historyOffset = true, false, true })
	add("proxy", "0.3.64", func() { p.front = basicProxy })
	add("cloud", "0.3.64", func() { p.front = cloudFront })
	add("0.27.0", "0.27.0", func() {
		p.front = front{}
		p.os, p.canonicalIDs, p.jobsAPI, p.createTime = "linux", true, true, true
		p.missingNodeType, p.fetchCheck, p.activity = true, true, true
	})
	return all
}

// DefaultProtocol is the version that is simulated when none is named.
const DefaultProtocol = "0.3.64"

// newest is another name of the newest profile.
const newest = "2026"

// Protocols lists the versions that can be simulated.
func Protocols() []string {
	var names []string
	for _, p := range protocols() {
		names = append(names, p.name)
	}
	return names
}

func protocolNamed(name string) (protocol, error) {
	all := protocols()
	switch name {
	case "":
		name = DefaultProtocol
	case newest:
		name = all[len(all)-1].name
	}
	i := slices.IndexFunc(all, func(p protocol) bool { return p.name == name })
	if i < 0 {
		return protocol{}, fmt.Errorf("no protocol %q to simulate; known are %s", name, strings.Join(Protocols(), ", "))
	}
	return all[i], nil
}

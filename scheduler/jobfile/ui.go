package jobfile

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"reckoner/scheduler/job"
)

// uiFile is a workflow in the page's own format, schema 0.4 or 1
// (comfyui-protocol, 5.2).
type uiFile struct {
	uiGraph
	subgraphs map[string]*uiGraph
	groups    map[string]json.RawMessage // definitions of group nodes by name
}

// uiGraph is the top of a workflow, or the inside of a subgraph.
type uiGraph struct {
	nodes []uiNode
	sets  map[string]int // positions of Set nodes by name; -1 where several have it
	at    map[string]int // positions in nodes by id
	links map[string]uiLink
	// inputs and outputs are the ports of a subgraph.
	inputs, outputs []uiPort
}

type uiNode struct {
	id      string
	class   string
	title   string
	mode    int
	pack    string // where the class comes from, as far as the file says
	inputs  []uiInput
	outputs []string // types
	values  []json.RawMessage
	named   []member // widgets_values_named, or values that are an object
	keyed   bool     // the values are an object
	proxies []uiProxy
}

type uiInput struct {
	name, typ string
	widget    string // the value that this socket stands for, or ""
	link      string // "" for none
}

type uiLink struct {
	origin     string
	slot       int
	target     string
	targetSlot int
}

type uiPort struct {
	name, typ string
	links     []string
}

// isGroup tells the classes of group nodes by their names.
func isGroup(class string) bool {
	return strings.HasPrefix(class, "workflow>") || strings.HasPrefix(class, "workflow/")
}

// uiProxy is a value of a node inside that a subgraph shows as its own. The node
// proxySelf is the subgraph itself.
type uiProxy struct{ node, name string }

const proxySelf = "-1"

// Modes of a node that keep it from running.
const (
	modeMuted    = 2
	modeBypassed = 4
)

// The ids of a subgraph's ports in its links.
const (
	portsIn  = "-10"
	portsOut = "-20"
)

// maxUINodes bounds what a workflow unfolds to: subgraphs in each other multiply.
const maxUINodes = 1 << 17

// maxParts bounds how many inputs and values a node has.
const maxParts = 1024

func badUI(what string) *job.Error { return notWorkflow(what) }

// parseUI takes a workflow in the page's format apart.
func parseUI(raw json.RawMessage) (*uiFile, *job.Error) {
	var doc struct {
		Nodes       []json.RawMessage
		Links       json.RawMessage
		Definitions struct {
			Subgraphs []json.RawMessage
		}
		Extra json.RawMessage
	}
	if json.Unmarshal(raw, &doc) != nil {
		return nil, badUI("bad_nodes")
	}
	if len(doc.Nodes) == 0 {
		return nil, badUI("no_nodes")
	}
	f := &uiFile{subgraphs: map[string]*uiGraph{}, groups: map[string]json.RawMessage{}}
	if err := f.parse(doc.Nodes, doc.Links); err != nil {
		return nil, err
	}
	if err := f.define(doc.Definitions.Subgraphs); err != nil {
		return nil, err
	}
	extra, _, _ := object(doc.Extra)
	groups, _ := find(extra, "groupNodes")
	named, _, _ := object(groups)
	for _, g := range named {
		f.groups[g.key] = g.value
	}
	return f, nil
}

// classes gives the server's classes that the nodes are of, each once.
func (f *uiFile) classes() []string {
	var all []string
	seen := map[string]bool{}
	add := func(class string) {
		_, isSubgraph := f.subgraphs[class]
		if !seen[class] && !isSubgraph && !isVirtual(class) && !isGroup(class) {
			seen[class] = true
			all = append(all, class)
		}
	}
	for _, n := range f.nodes {
		add(n.class)
	}
	for _, id := range slices.Sorted(maps.Keys(f.subgraphs)) {
		for _, n := range f.subgraphs[id].nodes {
			add(n.class)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.groups)) {
		members, _, _ := object(f.groups[name])
		nodes, _ := find(members, "nodes")
		list, _ := elements(nodes)
		for _, raw := range list {
			fields, _, _ := object(raw)
			class, _ := find(fields, "type")
			if s, ok := text(class); ok {
				add(s)
			}
		}
	}
	return all
}

// define reads the definitions of subgraphs.
func (f *uiFile) define(definitions []json.RawMessage) *job.Error {
	for _, raw := range definitions {
		var doc struct {
			ID              string
			Nodes           []json.RawMessage
			Links           json.RawMessage
			Inputs, Outputs []struct {
				Name    string
				Type    json.RawMessage
				LinkIDs []json.RawMessage `json:"linkIds"`
			}
		}
		if json.Unmarshal(raw, &doc) != nil || doc.ID == "" {
			return badUI("bad_subgraph")
		}
		g := &uiGraph{}
		if err := g.parse(doc.Nodes, doc.Links); err != nil {
			return err
		}
		for _, p := range doc.Inputs {
			g.inputs = append(g.inputs, uiPort{name: p.Name, typ: typeText(p.Type), links: idTexts(p.LinkIDs)})
		}
		for _, p := range doc.Outputs {
			g.outputs = append(g.outputs, uiPort{name: p.Name, typ: typeText(p.Type), links: idTexts(p.LinkIDs)})
		}
		f.subgraphs[doc.ID] = g
	}
	return nil
}

func (g *uiGraph) parse(nodes []json.RawMessage, links json.RawMessage) *job.Error {
	g.at, g.links = make(map[string]int, len(nodes)), map[string]uiLink{}
	for _, raw := range nodes {
		n, err := parseUINode(raw)
		if err != nil {
			return err
		}
		if _, twice := g.at[n.id]; twice {
			return badUI("bad_nodes")
		}
		g.at[n.id] = len(g.nodes)
		if isSetNode(n.class) {
			g.addSet(n)
		}
		g.nodes = append(g.nodes, n)
	}
	list, _ := elements(links)
	for _, raw := range list {
		if id, link, ok := parseUILink(raw); ok {
			g.links[id] = link
		}
	}
	return nil
}

func (g *uiGraph) addSet(n uiNode) {
	name := firstText(n.values)
	if g.sets == nil {
		g.sets = map[string]int{}
	}
	if _, twice := g.sets[name]; twice {
		g.sets[name] = -1
	} else {
		g.sets[name] = len(g.nodes)
	}
}

func parseUINode(raw json.RawMessage) (uiNode, *job.Error) {
	var doc struct {
		ID         json.RawMessage
		Type       json.RawMessage
		Title      json.RawMessage
		Mode       json.RawMessage
		Inputs     []json.RawMessage
		Outputs    []struct{ Type json.RawMessage }
		Values     json.RawMessage `json:"widgets_values"`
		Named      json.RawMessage `json:"widgets_values_named"`
		Properties json.RawMessage
	}
	if json.Unmarshal(raw, &doc) != nil {
		return uiNode{}, badUI("bad_nodes")
	}
	n := uiNode{id: idText(doc.ID)}
	n.class, _ = text(doc.Type)
	n.title, _ = text(doc.Title)
	if n.id == "" || n.class == "" {
		return uiNode{}, badUI("bad_nodes")
	}
	if mode, ok := number(doc.Mode); ok {
		n.mode = int(mode)
	}
	for _, in := range doc.Inputs {
		n.inputs = append(n.inputs, parseUIInput(in))
	}
	for _, out := range doc.Outputs {
		n.outputs = append(n.outputs, typeText(out.Type))
	}
	n.values, _ = elements(doc.Values)
	n.named, _, n.keyed = object(doc.Values)
	if named, _, ok := object(doc.Named); ok && !n.keyed {
		n.named = named
	}
	n.readProperties(doc.Properties)
	if max(len(n.inputs), len(n.outputs), len(n.values), len(n.named), len(n.proxies)) > maxParts {
		return uiNode{}, badUI("bad_nodes")
	}
	return n, nil
}

// readProperties reads what a subgraph shows of its inside, and the node's pack.
func (n *uiNode) readProperties(raw json.RawMessage) {
	properties, _, _ := object(raw)
	for _, key := range [...]string{"cnr_id", "aux_id"} {
		value, _ := find(properties, key)
		if s, ok := text(value); ok && n.pack == "" && s != "comfy-core" {
			n.pack = s
		}
	}
	value, _ := find(properties, "proxyWidgets")
	if inner, _, ok := textDocument(value); ok {
		value = inner
	}
	list, _ := elements(value)
	for _, raw := range list {
		pair, _ := elements(raw)
		if len(pair) < 2 {
			continue
		}
		name, _ := text(pair[1])
		n.proxies = append(n.proxies, uiProxy{node: idText(pair[0]), name: name})
	}
}

func parseUIInput(raw json.RawMessage) uiInput {
	members, _, _ := object(raw)
	var in uiInput
	name, _ := find(members, "name")
	in.name, _ = text(name)
	typ, _ := find(members, "type")
	in.typ = typeText(typ)
	link, _ := find(members, "link")
	in.link = idText(link)
	widget, has := find(members, "widget")
	fields, _, isObject := object(widget)
	if has && isObject {
		name, _ := find(fields, "name")
		if in.widget, _ = text(name); in.widget == "" {
			in.widget = in.name
		}
	}
	return in
}

// parseUILink reads a link: a list in schema 0.4, an object in schema 1 and in
// subgraphs.
func parseUILink(raw json.RawMessage) (id string, link uiLink, ok bool) {
	var parts [5]json.RawMessage
	if list, isList := elements(raw); isList {
		if copy(parts[:], list) < len(parts) {
			return "", uiLink{}, false
		}
	} else {
		members, _, _ := object(raw)
		for i, key := range [...]string{"id", "origin_id", "origin_slot", "target_id", "target_slot"} {
			parts[i], _ = find(members, key)
		}
	}
	slot, ok1 := index0(parts[2])
	target, ok2 := index0(parts[4])
	link = uiLink{origin: idText(parts[1]), slot: slot, target: idText(parts[3]), targetSlot: target}
	id = idText(parts[0])
	return id, link, ok1 && ok2 && id != "" && link.origin != ""
}

// index0 reads a slot's number; older files hold some as texts.
func index0(raw json.RawMessage) (int, bool) {
	if s, ok := text(raw); ok {
		raw = json.RawMessage(s)
	}
	v, ok := number(raw)
	return int(v), ok && v == math.Trunc(v) && v >= 0 && v < 1<<20
}

// idText gives an id, which files hold as a number or as a text.
func idText(raw json.RawMessage) string {
	if s, ok := text(raw); ok {
		return s
	}
	v, ok := number(raw)
	if !ok {
		return ""
	}
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return strconv.FormatInt(int64(v), 10)
	}
	return string(bytes.TrimSpace(raw))
}

func idTexts(list []json.RawMessage) []string {
	out := make([]string, len(list))
	for i, raw := range list {
		out[i] = idText(raw)
	}
	return out
}

// typeText gives a type. A list of choices is a COMBO; 0 and -1 are any type, as
// for the page.
func typeText(raw json.RawMessage) string {
	if s, ok := text(raw); ok {
		return s
	}
	if kind(raw) == '[' {
		return "COMBO"
	}
	return "*"
}

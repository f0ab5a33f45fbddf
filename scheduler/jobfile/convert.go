package jobfile

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"reckoner/scheduler/job"
)

// Convert makes what a render server is sent of a workflow in the page's own
// format, as ComfyUI's page does it (comfyui-protocol, 5.4), for a server with
// these classes. It is exact or refused. Nodes keep the file's order; subgraphs'
// nodes are named "instance:node".
//
// The errors are *job.Error: job.ErrUnknownClass, ErrPageOnly, ErrShifted,
// ErrBadLinks, ErrBadSubgraph, ErrNoCounterpart, ErrNoOutputNode or
// ErrNotWorkflow. Texts that the page itself fills in when it sends a job
// (choices in braces, dates in names) stay as they are and are told: see FillTexts.
func Convert(ui Workflow, classes job.Classes) (job.Graph, []job.Say, error) {
	graph, _, said, err := convert(ui, classes)
	if err != nil {
		return job.Graph{}, nil, err
	}
	return graph, said, nil
}

func convert(ui Workflow, classes job.Classes) (job.Graph, []PageText, []job.Say, *job.Error) {
	file, err := parseUI(json.RawMessage(ui))
	if err != nil {
		return job.Graph{}, nil, nil, err
	}
	if classes == nil {
		classes = job.Classes{}
	}
	c := &converter{file: file, classes: classes}
	top := &scope{graph: &file.uiGraph}
	if err := c.unfold(top); err != nil {
		return job.Graph{}, nil, nil, err
	}
	if err := c.convertAll(top); err != nil {
		return job.Graph{}, nil, nil, err
	}
	if len(c.missing) > 0 {
		return job.Graph{}, nil, nil, c.unknown()
	}
	graph, said, err := c.graph()
	return graph, c.toFill, said, err
}

// converter makes a graph of a workflow in the page's format.
type converter struct {
	file    *uiFile
	classes job.Classes
	nodes   int // unfolded so far
	made    []madeNode
	missing []missingClass
	said    []job.Say
	toFill  []PageText
	filled  job.Args // the first input that got a default, and how many did
	texts   job.Args // the first text that the page would change, and how many are
}

// madeNode is a node as it will be sent.
type madeNode struct {
	id, class, title string
	inputs           []madeInput
}

type madeInput struct {
	name  string
	value json.RawMessage
	link  *job.Link
}

func (n *madeNode) put(in madeInput) {
	for i := range n.inputs {
		if n.inputs[i].name == in.name {
			n.inputs[i] = in
			return
		}
	}
	n.inputs = append(n.inputs, in)
}

func (n *madeNode) drop(name string) {
	n.inputs = slices.DeleteFunc(n.inputs, func(in madeInput) bool { return in.name == name })
}

type missingClass struct{ node, class, pack string }

// unknown says which classes the server does not have.
func (c *converter) unknown() *job.Error {
	first := c.missing[0]
	var classes []string
	for _, m := range c.missing {
		if !slices.Contains(classes, m.class) {
			classes = append(classes, m.class)
		}
	}
	return job.Errorf(job.ErrUnknownClass, job.Args{
		Node: first.node, Class: first.class, Value: first.pack, Count: len(classes),
		Allowed: classes[:min(len(classes), 20)],
	}, nil)
}

func (c *converter) convertAll(s *scope) *job.Error {
	for i := range s.graph.nodes {
		n := &s.graph.nodes[i]
		switch {
		case isVirtual(n.class), n.mode == modeMuted, n.mode == modeBypassed:
			continue
		case isPageOnly(n.class):
			return job.Errorf(job.ErrPageOnly, job.Args{Node: s.path + n.id, Class: n.class}, nil)
		}
		if child := s.children[i]; child != nil {
			if err := c.convertAll(child); err != nil {
				return err
			}
			continue
		}
		class, known := c.classes[n.class]
		if !known {
			c.missing = append(c.missing, missingClass{s.path + n.id, n.class, n.pack})
			continue
		}
		if err := c.convertNode(s, i, class); err != nil {
			return err
		}
	}
	return nil
}

func (c *converter) convertNode(s *scope, at int, class job.Class) *job.Error {
	n := &s.graph.nodes[at]
	made := madeNode{id: s.path + n.id, class: n.class, title: n.title}
	if err := c.putValues(s, n, class, &made); err != nil {
		return err
	}
	for slot, in := range n.inputs {
		t, err := c.input(s, at, slot, "", maxLinkHops)
		switch {
		case err != nil:
			return err
		case t.link != nil:
			made.put(madeInput{name: in.name, link: t.link})
		case t.gone:
			made.drop(in.name)
		case len(t.value) > 0:
			if !suits(class, made, in.name, t.value) {
				return job.Errorf(job.ErrShifted, job.Args{
					Node: made.id, Class: n.class, Input: in.name, Value: shortText(t.value),
				}, nil)
			}
			made.put(madeInput{name: in.name, value: t.value})
		}
	}
	c.pageTexts(class, &made)
	c.made = append(c.made, made)
	return nil
}

// suits tells whether a value that comes from elsewhere fits an input.
func suits(class job.Class, made madeNode, name string, v json.RawMessage) bool {
	inputs := class.Inputs
	for rest := name; ; {
		i := slices.IndexFunc(inputs, func(in job.ClassInput) bool {
			return in.Name == rest || in.Type == dynamicCombo && strings.HasPrefix(rest, in.Name+".")
		})
		if i < 0 {
			return true // an input that the class makes by itself
		}
		in := inputs[i]
		if in.Name == rest {
			return fits(field{in: in}, v)
		}
		full := strings.TrimSuffix(name, rest) + in.Name
		rest = strings.TrimPrefix(rest, in.Name+".")
		chosen := slices.IndexFunc(made.inputs, func(m madeInput) bool { return m.name == full })
		if chosen < 0 {
			return true
		}
		inputs = choiceOf(in, made.inputs[chosen].value)
	}
}

// graph writes what was made. A link to a node that is not there goes, as on the
// page.
func (c *converter) graph() (job.Graph, []job.Say, *job.Error) {
	if len(c.made) == 0 {
		return job.Graph{}, nil, job.Errorf(job.ErrNoOutputNode, job.Args{}, nil)
	}
	ids := make(map[string]bool, len(c.made))
	for _, n := range c.made {
		ids[n.id] = true
	}
	var out bytes.Buffer
	for i, n := range c.made {
		out.WriteByte("{,"[min(i, 1)])
		writeText(&out, n.id)
		out.WriteString(`:{"inputs":{`)
		first := true
		for _, in := range n.inputs {
			if in.link != nil && !ids[in.link.Node] {
				continue
			}
			if !first {
				out.WriteByte(',')
			}
			first = false
			writeText(&out, in.name)
			out.WriteByte(':')
			in.write(&out)
		}
		out.WriteString(`},"class_type":`)
		writeText(&out, n.class)
		if n.title != "" {
			out.WriteString(`,"_meta":{"title":`)
			writeText(&out, n.title)
			out.WriteByte('}')
		}
		out.WriteByte('}')
	}
	out.WriteByte('}')
	g, repairs, err := parseGraph(out.Bytes())
	if err != nil {
		return job.Graph{}, nil, err
	}
	if c.filled.Count > 0 {
		c.said = append(c.said, job.Say{Code: job.WarnDefaults, Args: c.filled})
	}
	if c.texts.Count > 0 {
		c.said = append(c.said, job.Say{Code: job.WarnPageTexts, Args: c.texts})
	}
	return g, append(c.said, repairs...), nil
}

// write writes an input's value. A list is wrapped: servers take lists of two
// for links (comfyui-protocol, 5.1).
func (in madeInput) write(out *bytes.Buffer) {
	switch {
	case in.link != nil:
		out.WriteByte('[')
		writeText(out, in.link.Node)
		out.WriteByte(',')
		out.WriteString(strconv.Itoa(in.link.Slot))
		out.WriteByte(']')
	case kind(in.value) == '[':
		out.WriteString(`{"__value__":`)
		out.Write(in.value)
		out.WriteByte('}')
	default:
		out.Write(in.value)
	}
}

// writeText writes a text as JSON, markup as it is.
func writeText(out *bytes.Buffer, s string) {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return // cannot be: a text in memory always encodes
	}
	out.Truncate(out.Len() - 1) // the line's end
}

// shortText gives a value for a message.
func shortText(v json.RawMessage) string {
	s, ok := text(v)
	if !ok {
		s = string(v)
	}
	if len(s) > 60 {
		s = strings.ToValidUTF8(s[:60], "") + "…"
	}
	return s
}

package jobfile

import (
	"encoding/json"
	"strconv"

	"reckoner/scheduler/job"
)

// putValues puts a node's own values into what is made of it, those that a
// subgraph around it gives last.
func (c *converter) putValues(s *scope, n *uiNode, class job.Class, made *madeNode) *job.Error {
	values, err := c.valuesOf(s, n, class)
	if err != nil {
		return err
	}
	given := s.set[n.id]
	for _, v := range values {
		if v.forced {
			continue
		}
		if outer, ok := given[v.name]; ok {
			if !suits(class, *made, v.name, outer) {
				return job.Errorf(job.ErrShifted, job.Args{
					Node: made.id, Class: n.class, Input: v.name, Value: shortText(outer),
				}, nil)
			}
			v.value, v.missing = outer, false
		}
		if v.missing {
			in, ok := inputOf(class.Inputs, v.name)
			if v.value, ok = defaultOrNone(in, ok); !ok {
				_, _, linked := n.socket(v.name)
				if linked || in.Optional {
					continue
				}
				return job.Errorf(job.ErrShifted, job.Args{Node: made.id, Class: n.class, Input: v.name}, nil)
			}
			if c.filled.Count++; c.filled.Count == 1 {
				c.filled.Node, c.filled.Class, c.filled.Input = made.id, n.class, v.name
			}
		}
		made.put(madeInput{name: v.name, value: v.value})
	}
	return nil
}

func defaultOrNone(in job.ClassInput, known bool) (json.RawMessage, bool) {
	if !known {
		return nil, false
	}
	return defaultOf(in)
}

func inputOf(inputs []job.ClassInput, name string) (job.ClassInput, bool) {
	for _, in := range inputs {
		if in.Name == name {
			return in, true
		}
		for _, d := range in.Dynamic {
			if len(name) > len(in.Name) && name[:len(in.Name)] == in.Name {
				if inner, ok := inputOf(d.Inputs, name[min(len(in.Name)+1, len(name)):]); ok {
					return inner, true
				}
			}
		}
	}
	return job.ClassInput{}, false
}

// valuesOf reads a node's values: by name where the file has names, else by
// their order.
func (c *converter) valuesOf(s *scope, n *uiNode, class job.Class) ([]value, *job.Error) {
	fields := fieldsOf(class, n, false)
	if n.keyed {
		return byName(fields, n), nil
	}
	listed, ok := alignNode(class, n)
	if len(n.named) == 0 {
		if !ok {
			return nil, c.shifted(s, n, fields)
		}
		return listed, nil
	}
	named := byName(fields, n)
	for _, v := range named {
		f, known := inputOf(class.Inputs, v.name)
		_, _, linked := n.socket(v.name)
		if known && !v.missing && !fits(field{in: f, linked: linked}, v.value) {
			return nil, job.Errorf(job.ErrShifted, job.Args{
				Node: s.path + n.id, Class: n.class, Input: v.name, Value: shortText(v.value),
			}, nil)
		}
		if ok {
			c.compareNamed(s, n, v, listed)
		}
	}
	return named, nil
}

// compareNamed tells when a file gives a value by name and another one by order.
// Newer pages write and read the names.
func (c *converter) compareNamed(s *scope, n *uiNode, v value, listed []value) {
	for _, l := range listed {
		if l.name == v.name && !l.missing && !v.missing && !sameValue(l.value, v.value) {
			c.said = append(c.said, job.Say{Code: job.WarnDisagree, Args: job.Args{
				Node: s.path + n.id, Class: n.class, Input: v.name,
				Value: shortText(v.value), Detail: shortText(l.value),
			}})
		}
	}
}

// alignNode lays a node's list of values along its inputs. The class's own order
// is what the page follows; where that leaves no way, inputs count that only a
// script knows, then the order that the file's sockets give.
func alignNode(class job.Class, n *uiNode) ([]value, bool) {
	if n.class == powerLoraLoader {
		return loraRows(n.values), true
	}
	inner := func(prefix string, in []job.ClassInput) []field { return fieldsIn(in, prefix, n, false) }
	fields := fieldsOf(class, n, false)
	if len(fields) == 0 && class.IsOutput {
		return nil, true // what is left are the page's previews
	}
	if fewer, ok := savedFields(fields, n); ok {
		if got, ok := align(fewer, n.values, inner); ok {
			return got, true
		}
	}
	if got, ok := align(fields, n.values, inner); ok {
		return got, true
	}
	guessed := fieldsOf(class, n, true)
	if len(guessed) == len(fields) {
		return nil, false
	}
	return align(guessed, n.values, inner)
}

// powerLoraLoader is a class of rgthree-comfy whose rows only its script shows:
// each value that names a lora is the next of its inputs lora_1, lora_2...
const powerLoraLoader = "Power Lora Loader (rgthree)"

func loraRows(values []json.RawMessage) []value {
	var rows []value
	for _, v := range values {
		members, _, _ := object(v)
		if _, isRow := find(members, "lora"); isRow {
			rows = append(rows, value{name: "lora_" + strconv.Itoa(len(rows)+1), value: v})
		}
	}
	return rows
}

// savedFields gives the fields that a file's sockets name, where the page named
// all of them and the class has others now: inputs that came later have no value
// in the list, wherever they stand.
func savedFields(fields []field, n *uiNode) ([]field, bool) {
	var saved []field
	names := map[string]bool{}
	for _, in := range n.inputs {
		if in.widget != "" {
			names[in.widget] = true
		}
	}
	for _, f := range fields {
		if names[f.name] {
			saved = append(saved, f)
		}
	}
	if len(saved) == len(fields) || len(saved) != len(names) || len(saved) == 0 {
		return nil, false
	}
	// Files of older pages name only the values that were made sockets.
	if _, ok := align(saved, n.values, nil); !ok {
		return nil, false
	}
	late := make([]field, 0, len(fields)-len(saved))
	for _, f := range fields {
		if !names[f.name] {
			late = append(late, f)
		}
	}
	return append(saved, late...), true
}

// byName reads values that the file names. Names that the class does not have
// go along, as scripts of the page add inputs; the page's own do not.
func byName(fields []field, n *uiNode) []value {
	var values []value
	known := map[string]bool{}
	add := func(f field) {
		known[f.name] = true
		v, ok := find(n.named, f.name)
		values = append(values, value{name: f.name, value: v, missing: !ok})
	}
	for len(fields) > 0 {
		f := fields[0]
		fields = fields[1:]
		add(f)
		if f.in.Type == dynamicCombo {
			v, _ := find(n.named, f.name)
			fields = append(fieldsIn(choiceOf(f.in, v), f.name+".", n, false), fields...)
		}
	}
	for _, m := range n.named {
		if known[m.key] || isPageName(m.key) {
			continue
		}
		values = append(values, value{name: m.key, value: m.value})
	}
	return values
}

// isPageName tells the names under which the page keeps things of its own.
func isPageName(name string) bool {
	switch name {
	case "upload", "videopreview", "video-preview", "audioUI", "control_after_generate",
		"choose video to upload", "choose file to upload", "choose audio to upload":
		return true
	}
	return false
}

// shifted says where a node's values stop fitting.
func (c *converter) shifted(s *scope, n *uiNode, fields []field) *job.Error {
	args := job.Args{Node: s.path + n.id, Class: n.class, Count: len(n.values), Of: len(fields)}
	at := 0
	for _, f := range fields {
		if at >= len(n.values) {
			break
		}
		if !fits(f, n.values[at]) {
			args.Input, args.Value = f.name, shortText(n.values[at])
			break
		}
		at++
		if !f.control || at >= len(n.values) {
			continue
		}
		if word, ok := text(n.values[at]); ok && isControl(word) {
			at++
		}
	}
	return job.Errorf(job.ErrShifted, args, nil)
}

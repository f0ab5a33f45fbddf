package sim

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// refusal is why a prompt was not accepted.
type refusal struct {
	err        *object
	nodeErrors *object
}

func problem(kind, message, details string, extra *object) *object {
	return obj("type", kind, "message", message, "details", details, "extra_info", extra)
}

// validator walks a prompt from its outputs as the server does: depth first,
// each node once, values turned into what the class asks for as it goes.
type validator struct {
	cat      *catalog
	proto    protocol
	prompt   *object
	exists   func(image string) bool // whether a LoadImage file is there
	verdicts map[string]*verdict
}

type verdict struct {
	ok     bool
	errors []any
	open   bool // being looked at: meeting it again is a cycle
}

// validate gives the output nodes that can run, and the errors of the others'
// nodes; or the refusal when none can. partial, where not nil, names the output
// nodes that are wanted.
func (v *validator) validate(partial []string) (outputs []string, nodeErrors *object, no *refusal) {
	v.verdicts = map[string]*verdict{}
	outputs, no = v.outputs(partial)
	if no != nil {
		return nil, nil, no
	}
	nodeErrors = obj()
	var good, own []string
	for _, id := range outputs {
		verdict := v.top(id)
		if verdict.ok {
			good = append(good, id)
			continue
		}
		for _, e := range verdict.errors {
			own = append(own, e.(*object).text("message")+": "+e.(*object).text("details"))
		}
		v.report(nodeErrors, id)
	}
	if len(good) == 0 {
		return nil, nil, &refusal{
			problem("prompt_outputs_failed_validation", "Prompt outputs failed validation", strings.Join(own, "\n"), obj()),
			nodeErrors,
		}
	}
	return good, nodeErrors, nil
}

// report adds the errors of the nodes that one output depends on.
func (v *validator) report(into *object, output string) {
	for _, id := range v.verdictOrder() {
		w := v.verdicts[id]
		if w.ok || len(w.errors) == 0 {
			continue
		}
		entry := into.object(id)
		if entry == nil {
			entry = obj("errors", w.errors, "dependent_outputs", list(), "class_type", v.node(id).text("class_type"))
			into.set(id, entry)
		}
		deps, _ := entry.get("dependent_outputs")
		entry.set("dependent_outputs", append(deps.([]any), output))
	}
}

func (v *validator) verdictOrder() []string {
	var ids []string
	for _, id := range v.prompt.keys {
		if _, ok := v.verdicts[id]; ok {
			ids = append(ids, id)
		}
	}
	return ids
}

func (v *validator) outputs(partial []string) ([]string, *refusal) {
	var outs []string
	for _, id := range v.prompt.keys {
		node := v.node(id)
		name, ok := node.get("class_type")
		if !ok {
			return nil, v.missing(id, node, nil)
		}
		cl := v.cat.classes[pyText(name)]
		if cl == nil {
			return nil, v.missing(id, node, name)
		}
		if cl.saves != "" && (partial == nil || slices.Contains(partial, id)) {
			outs = append(outs, id)
		}
	}
	if len(outs) == 0 {
		return nil, &refusal{problem("prompt_no_outputs", "Prompt has no outputs", "", obj()), obj()}
	}
	return outs, nil
}

// missing refuses a node without a class, or of a class that is not installed.
func (v *validator) missing(id string, node *object, name any) *refusal {
	details := "Node ID '#" + id + "'"
	message := "Cannot execute because a node is missing the class_type property."
	if name != nil {
		message = "Cannot execute because node " + pyText(name) + " does not exist."
	}
	if !v.proto.missingNodeType {
		return &refusal{problem("invalid_prompt", message, details, obj()), obj()}
	}
	title := node.object("_meta").text("title")
	if title == "" {
		title = pyText(name)
	}
	message = "Node '" + title + "' not found. The custom node may not be installed."
	extra := obj("node_id", id, "class_type", name, "node_title", title)
	return &refusal{problem("missing_node_type", message, details, extra), obj()}
}

func (v *validator) node(id string) *object { return v.prompt.object(id) }

// top judges an output node.
func (v *validator) top(id string) *verdict {
	w, thrown := v.judge(id)
	if thrown != "" {
		w.ok = false
		w.errors = list(problem("exception_during_validation", "Exception when validating node", pyRepr(thrown),
			obj("exception_type", "KeyError", "traceback", list())))
	}
	return w
}

// judge validates a node. thrown is the key that the server's own code would
// stumble over, for a link to a node that is not there.
func (v *validator) judge(id string) (w *verdict, thrown string) {
	if w, ok := v.verdicts[id]; ok {
		return w, ""
	}
	w = &verdict{ok: true, open: true}
	v.verdicts[id] = w
	defer func() { w.open = false }()
	node := v.node(id)
	cl := v.cat.classes[node.text("class_type")]
	inputs := node.object("inputs")
	if inputs == nil {
		w.ok = false
		return w, "inputs"
	}
	for _, in := range cl.inputs {
		val, ok := inputs.get(in.name)
		if !ok {
			if in.required {
				w.errors = append(w.errors, problem("required_input_missing", "Required input is missing", in.name,
					obj("input_name", in.name)))
			}
			continue
		}
		if link, ok := val.([]any); ok {
			if thrown := v.link(w, in, link); thrown != "" {
				w.ok = false
				return w, thrown
			}
			continue
		}
		if e := v.plain(in, inputs, val); e != nil {
			w.errors = append(w.errors, e)
		}
	}
	if e := v.custom(cl, inputs); e != nil && len(w.errors) == 0 {
		w.errors = append(w.errors, e)
	}
	w.ok = w.ok && len(w.errors) == 0
	return w, ""
}

func (v *validator) config(in input) []any {
	if in.options == nil {
		return []any{in.spec(nil)[0], obj()}
	}
	return in.spec(nil)
}

func (v *validator) link(w *verdict, in input, link []any) (thrown string) {
	if len(link) != 2 {
		w.errors = append(w.errors, problem("bad_linked_input",
			"Bad linked input, must be a length-2 list of [node_id, slot_index]", in.name,
			obj("input_name", in.name, "input_config", v.config(in), "received_value", link)))
		return ""
	}
	from := pyText(link[0])
	source := v.node(from)
	if source == nil {
		return from
	}
	cl := v.cat.classes[source.text("class_type")]
	slot, _ := toFloat(link[1])
	if slot < 0 || slot >= float64(len(cl.outputs)) {
		return "tuple index out of range"
	}
	if got := cl.outputs[int(slot)]; !accepts(in, got) {
		w.errors = append(w.errors, problem("return_type_mismatch", "Return type mismatch between linked nodes",
			fmt.Sprintf("%s, received_type(%s) mismatch input_type(%s)", in.name, got, in.kind),
			obj("input_name", in.name, "input_config", v.config(in), "received_type", got, "linked_node", link)))
		return ""
	}
	inner, key := v.judge(from)
	if key != "" {
		text := pyRepr(key)
		inner.errors = list(problem("exception_during_inner_validation", "Exception when validating inner node", text,
			obj("input_name", in.name, "input_config", v.config(in), "exception_message", text,
				"exception_type", "KeyError", "traceback", list(), "linked_node", link)))
	}
	if !inner.ok || inner.open {
		w.ok = false
	}
	return ""
}

func accepts(in input, got string) bool {
	return in.kind == got || in.kind == "*" || got == "*" || slices.Contains(strings.Split(in.kind, ","), got)
}

// plain checks a value that is not a link, and stores it as the class has it:
// 8 becomes 8.0 where a float is asked for.
func (v *validator) plain(in input, inputs *object, val any) *object {
	if wrapped, ok := val.(*object); ok {
		if inner, ok := wrapped.get("__value__"); ok {
			val = inner
			inputs.set(in.name, val)
		}
	}
	coerced, err := coerce(in.kind, val)
	if err != "" {
		return problem("invalid_input_type", "Failed to convert an input value to a "+in.kind+" value",
			fmt.Sprintf("%s, %s, %s", in.name, pyText(val), err),
			obj("input_name", in.name, "input_config", v.config(in), "received_value", val, "exception_message", err))
	}
	val = coerced
	inputs.set(in.name, val)
	if e := v.bounds(in, val); e != nil {
		return e
	}
	if in.kind != "COMBO" || in.folder == "input" || v.cat.allows(in, val) {
		return nil
	}
	shown, config := pyRepr(in.choices), any(v.config(in))
	if len(in.choices) > 20 {
		shown, config = fmt.Sprintf("(list of length %d)", len(in.choices)), nil
	}
	return problem("value_not_in_list", "Value not in list",
		fmt.Sprintf("%s: '%s' not in %s", in.name, pyText(val), shown),
		obj("input_name", in.name, "input_config", config, "received_value", val))
}

func (v *validator) bounds(in input, val any) *object {
	for _, end := range []struct{ key, kind, words string }{
		{"min", "value_smaller_than_min", "smaller than min"},
		{"max", "value_bigger_than_max", "bigger than max"},
	} {
		limit, ok := in.options.get(end.key)
		if !ok {
			continue
		}
		c, ok := compare(val, limit)
		if !ok || (end.key == "min" && c >= 0) || (end.key == "max" && c <= 0) {
			continue
		}
		return problem(end.kind, fmt.Sprintf("Value %s %s of %s", pyText(val), end.words, pyText(limit)), in.name,
			obj("input_name", in.name, "input_config", v.config(in), "received_value", val))
	}
	return nil
}

func compare(a, b any) (int, bool) {
	ra, aok := new(big.Rat).SetString(pyText(a))
	rb, bok := new(big.Rat).SetString(pyText(b))
	if !aok || !bok {
		return 0, false
	}
	return ra.Cmp(rb), true
}

func (v *validator) custom(cl *class, inputs *object) *object {
	if cl.checks != "image_file" {
		return nil
	}
	name, ok := inputs.vals["image"].(string)
	if !ok || v.exists(name) {
		return nil
	}
	return problem("custom_validation_failed", "Custom validation failed for node",
		"image - Invalid image file: "+name, obj("input_name", "image"))
}

// coerce turns a value into what Python's int, float, str or bool make of it.
// err is Python's text when it cannot.
func coerce(kind string, val any) (out any, err string) {
	switch kind {
	case "INT":
		return toInt(val)
	case "FLOAT":
		if s, ok := val.(string); ok {
			f, perr := strconv.ParseFloat(strings.TrimSpace(s), 64)
			if perr != nil {
				return nil, "could not convert string to float: " + pyRepr(s)
			}
			return f, ""
		}
		if b, ok := val.(bool); ok {
			val = map[bool]int{true: 1}[b]
		}
		if f, ok := toFloat(val); ok {
			return f, ""
		}
		return nil, "float() argument must be a string or a real number, not " + pyRepr(pyType(val))
	case "STRING":
		return pyText(val), ""
	case "BOOLEAN":
		return truthy(val), ""
	}
	return val, ""
}

// maxDigits is how long a number Python reads from a text.
const maxDigits = 4300

func toInt(val any) (any, string) {
	switch t := val.(type) {
	case json.Number, int:
		return t, ""
	case bool:
		return map[bool]int{true: 1}[t], ""
	case float64:
		if math.IsInf(t, 0) {
			return nil, "cannot convert float infinity to integer"
		}
		i, _ := big.NewFloat(t).Int(nil)
		return json.Number(i.String()), ""
	case string:
		if len(t) > maxDigits {
			return nil, "Exceeds the limit (4300 digits) for integer string conversion"
		}
		i, ok := new(big.Int).SetString(strings.TrimSpace(t), 10)
		if !ok {
			return nil, "invalid literal for int() with base 10: " + pyRepr(t)
		}
		return json.Number(i.String()), ""
	}
	return nil, "int() argument must be a string, a bytes-like object or a real number, not " + pyRepr(pyType(val))
}

func truthy(val any) bool {
	switch t := val.(type) {
	case nil:
		return false
	case bool:
		return t
	case string:
		return t != ""
	case []any:
		return len(t) > 0
	case *object:
		return len(t.keys) > 0
	}
	f, _ := toFloat(val)
	return f != 0
}

func pyType(val any) string {
	switch val.(type) {
	case nil:
		return "NoneType"
	case *object:
		return "dict"
	case []any:
		return "list"
	}
	return "object"
}

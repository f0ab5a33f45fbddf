package sim

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed classes.json
var classesJSON []byte

// input is one input of a node class.
type input struct {
	name     string
	kind     string  // "INT", "MODEL", ... or "COMBO"
	choices  []any   // of a COMBO
	listed   bool    // an old-style COMBO: the choices stand where the type would
	folder   string  // of model files, "input" for uploads, or ""
	options  *object // nil when there are none
	required bool
}

// class is a node class that the server can run.
type class struct {
	name     string
	inputs   []input // the required ones first
	outputs  []string
	outNames []string
	title    string
	text     string
	module   string
	category string
	hidden   bool   // takes the prompt and extra_pnginfo
	saves    string // the kind of file an output node writes, or ""
	work     string // what running it is like, see work.go
	checks   string // a validation of its own
}

// catalog is a server's table of classes.
type catalog struct {
	classes map[string]*class
	names   []string
	shared  *object
	folders *object
	strict  bool // only listed model files are accepted
}

// newCatalog reads the built-in table. models, where it names a folder, is the
// whole list of that folder's files, and then nothing else is accepted.
func newCatalog(models map[string][]string) (*catalog, error) {
	v, err := decode(classesJSON)
	if err != nil {
		return nil, fmt.Errorf("read the table of node classes: %w", err)
	}
	top := v.(*object)
	c := &catalog{
		classes: map[string]*class{}, shared: top.object("shared"),
		folders: top.object("folders").clone(), strict: len(models) > 0,
	}
	for folder, files := range models {
		c.folders.set(folder, strList(files))
	}
	rows, _ := top.get("classes")
	for _, row := range rows.([]any) {
		cl, err := c.parseClass(row.(*object))
		if err != nil {
			return nil, err
		}
		c.classes[cl.name] = cl
		c.names = append(c.names, cl.name)
	}
	return c, nil
}

func (c *catalog) parseClass(o *object) (*class, error) {
	cl := &class{
		name: o.text("name"), title: o.text("title"), text: o.text("description"), module: o.text("module"),
		category: o.text("category"), saves: o.text("saves"), work: o.text("work"), checks: o.text("checks"),
	}
	_, cl.hidden = o.get("hidden")
	cl.outputs = texts(o, "output")
	cl.outNames = texts(o, "output_name")
	if cl.outNames == nil {
		cl.outNames = cl.outputs
	}
	if cl.title == "" {
		cl.title = cl.name
	}
	if cl.module == "" {
		cl.module = "nodes"
	}
	for _, part := range []string{"required", "optional"} {
		rows, _ := o.get(part)
		specs, _ := rows.([]any)
		for _, s := range specs {
			in, err := c.parseInput(s.([]any))
			if err != nil {
				return nil, fmt.Errorf("class %s: %w", cl.name, err)
			}
			in.required = part == "required"
			cl.inputs = append(cl.inputs, in)
		}
	}
	return cl, nil
}

func (c *catalog) parseInput(spec []any) (input, error) {
	in := input{name: spec[0].(string)}
	if len(spec) > 2 {
		in.options = spec[2].(*object)
	}
	switch kind := spec[1].(type) {
	case []any:
		in.kind, in.choices, in.listed = "COMBO", kind, true
	case string:
		name, isRef := strings.CutPrefix(kind, "@")
		if !isRef {
			in.kind = kind
			if opts, ok := in.options.get("options"); ok {
				in.choices = opts.([]any)
			}
			break
		}
		in.kind, in.listed = "COMBO", true
		if v, ok := c.shared.get(name); ok {
			in.choices = v.([]any)
		} else if v, ok := c.folders.get(name); ok {
			in.choices, in.folder = v.([]any), name
		} else if name == "input" {
			in.folder = name
		} else {
			return in, fmt.Errorf("input %s refers to an unknown list %q", in.name, name)
		}
	}
	return in, nil
}

func texts(o *object, key string) []string {
	v, _ := o.get(key)
	var out []string
	vs, _ := v.([]any)
	for _, e := range vs {
		out = append(out, e.(string))
	}
	return out
}

var modelEndings = []string{".safetensors", ".ckpt", ".pt", ".pt2", ".bin", ".pth", ".sft", ".pkl", ".gguf"}

// allows tells whether a combo accepts a value. Unless the scenario restricts
// the model files, any name with a model's ending is a file that is there: the
// machine is simulated, and so are its disks.
func (c *catalog) allows(in input, v any) bool {
	for _, choice := range in.choices {
		if sameValue(choice, v) {
			return true
		}
	}
	name, ok := v.(string)
	if !ok || c.strict || in.folder == "" {
		return false
	}
	return slices.ContainsFunc(modelEndings, func(end string) bool { return strings.HasSuffix(name, end) })
}

func sameValue(a, b any) bool {
	fa, aok := toFloat(a)
	fb, bok := toFloat(b)
	if aok && bok {
		return fa == fb
	}
	return a == b
}

// spec is the input's [type, options] as object_info and input_config have it.
func (in input) spec(uploads []string) []any {
	var kind any = in.kind
	if in.listed {
		choices := in.choices
		if in.folder == "input" {
			choices = strList(uploads)
		}
		kind = append([]any{}, choices...)
	}
	if in.options == nil {
		return []any{kind}
	}
	return []any{kind, in.options}
}

// info is a class's entry in object_info.
func (cl *class) info(p protocol, uploads []string) *object {
	ins, order := obj(), obj()
	for _, part := range []string{"required", "optional"} {
		specs, names := obj(), []any{}
		for _, in := range cl.inputs {
			if in.required == (part == "required") {
				specs.set(in.name, in.spec(uploads))
				names = append(names, in.name)
			}
		}
		if len(names) > 0 || part == "required" {
			ins.set(part, specs)
			order.set(part, names)
		}
	}
	if cl.hidden {
		ins.set("hidden", obj("prompt", "PROMPT", "extra_pnginfo", "EXTRA_PNGINFO"))
		order.set("hidden", list("prompt", "extra_pnginfo"))
	}
	lists := []any{}
	for range cl.outputs {
		lists = append(lists, false)
	}
	o := obj("input", ins, "input_order", order)
	if p.jobsAPI {
		o.set("is_input_list", false)
	}
	for _, kv := range []struct {
		key string
		val any
	}{
		{"output", strList(cl.outputs)},
		{"output_is_list", lists},
		{"output_name", strList(cl.outNames)},
		{"name", cl.name},
		{"display_name", cl.title},
		{"description", cl.text},
		{"python_module", cl.module},
		{"category", cl.category},
		{"output_node", cl.saves != ""},
	} {
		o.set(kv.key, kv.val)
	}
	return o
}

package job

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// Classes are the node classes of a render server by name, as far as a job's
// checks need them (/object_info; comfyui-protocol, 1.8). They are never changed
// once made.
type Classes map[string]Class

// Class says what a node of a class takes and gives.
type Class struct {
	// Inputs are in the order in which the page shows them: required, then
	// optional.
	Inputs []ClassInput
	// Outputs are the types of what the node gives, by slot; "COMBO" for a list
	// of choices.
	Outputs []string
	// IsOutput says that the node's results are kept: it can end a job.
	IsOutput bool
	// Account says that the node asks a paid service of ComfyUI's makers, in the
	// name of a user who has logged in in the page.
	Account bool
}

// ClassInput is an input of a class: a value that the user sets, or a socket for
// another node's output.
type ClassInput struct {
	Name     string
	Type     string // "INT", "COMBO", "MODEL", "A,B" for either, "*" for any
	Optional bool
	// Choices are what a COMBO allows: texts as they are, anything else as JSON.
	Choices []string
	// Multiple says that the value of a COMBO is a list of choices.
	Multiple bool
	// Default is the value that a new node has; nil when the server names none.
	Default json.RawMessage
	// Min and Max bound a number; empty when the server names none.
	Min, Max json.Number
	// ForceInput says that it is a socket although its type could be set.
	ForceInput bool
	// Socketless says that it can only be set, never linked.
	Socketless bool
	// Widget is the type of what the page shows, where it differs from Type.
	Widget string
	// Control says that the page keeps "fixed", "randomize" and their like beside
	// the value. The page does so for seeds unasked.
	Control bool
	// DynamicPrompts says that the page takes comments out of the text and draws
	// from the choices in braces.
	DynamicPrompts bool
	// Upload says what file the page offers to upload: "image", "video", "audio",
	// "file", or "" for none.
	Upload string
	// Dynamic are the further inputs that each choice of a COMFY_DYNAMICCOMBO_V3
	// brings. Their names begin with this input's name and a dot.
	Dynamic []DynamicChoice
}

// DynamicChoice is a choice with inputs of its own.
type DynamicChoice struct {
	Key    string
	Inputs []ClassInput
}

// UnmarshalJSON reads an answer of /object_info. A class that does not have the
// shape it must have is left out, as one bad custom node must not cost all the
// others; an answer that is no object is an error.
func (c *Classes) UnmarshalJSON(data []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	if raw == nil {
		return errors.New("object_info is null")
	}
	all := make(Classes, len(raw))
	names := interner{}
	for name, info := range raw {
		if class, ok := names.class(info); ok {
			all[name] = class
		}
	}
	*c = all
	return nil
}

// interner keeps one copy of each text and of each list of choices: servers
// repeat their lists of models in every loader.
type interner map[string][]string

func (k interner) class(info json.RawMessage) (Class, bool) {
	var raw struct {
		Input      map[string]json.RawMessage
		InputOrder map[string][]string `json:"input_order"`
		Output     []json.RawMessage
		OutputNode bool `json:"output_node"`
		APINode    bool `json:"api_node"`
	}
	if json.Unmarshal(info, &raw) != nil || raw.Input == nil && raw.Output == nil {
		return Class{}, false
	}
	class := Class{IsOutput: raw.OutputNode, Account: raw.APINode || needsAccount(raw.Input["hidden"])}
	for _, o := range raw.Output {
		var name string
		if json.Unmarshal(o, &name) != nil {
			name = "COMBO"
		}
		class.Outputs = append(class.Outputs, name)
	}
	for _, part := range [...]string{"required", "optional"} {
		inputs, ok := k.inputs(raw.Input[part], raw.InputOrder[part])
		if !ok {
			return Class{}, false
		}
		for i := range inputs {
			inputs[i].Optional = part == "optional"
		}
		class.Inputs = append(class.Inputs, inputs...)
	}
	return class, true
}

// needsAccount tells whether a node's hidden inputs are a user's keys: servers that
// do not mark such nodes yet hand them over so (ComfyUI's comfy_api_nodes).
func needsAccount(hidden json.RawMessage) bool {
	var names map[string]any
	if json.Unmarshal(hidden, &names) != nil {
		return false
	}
	for _, of := range names {
		if of == "AUTH_TOKEN_COMFY_ORG" || of == "API_KEY_COMFY_ORG" {
			return true
		}
	}
	return false
}

// inputs reads a set of inputs in the order given, or in that of the JSON where
// there is none: older servers.
func (k interner) inputs(raw json.RawMessage, order []string) ([]ClassInput, bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, true
	}
	var specs map[string]json.RawMessage
	if json.Unmarshal(raw, &specs) != nil {
		return nil, false
	}
	written := namesInOrder(raw)
	var names []string
	for _, name := range slices.Concat(order, written) {
		if _, known := specs[name]; known && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	inputs := make([]ClassInput, 0, len(names))
	for _, name := range names {
		in, ok := k.input(name, specs[name])
		if !ok {
			return nil, false
		}
		inputs = append(inputs, in)
	}
	return inputs, true
}

// namesInOrder gives the names of an object as it is written.
func namesInOrder(raw json.RawMessage) []string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return nil
	}
	var names []string
	for dec.More() {
		token, err := dec.Token()
		name, ok := token.(string)
		var value json.RawMessage
		if err != nil || !ok || dec.Decode(&value) != nil {
			return names
		}
		names = append(names, name)
	}
	return names
}

// inputOptions are the options of an input that matter here.
type inputOptions struct {
	Default    json.RawMessage
	Min, Max   any
	ForceInput bool `json:"forceInput"`
	Socketless bool
	Dynamic    bool              `json:"dynamicPrompts"`
	WidgetType string            `json:"widgetType"`
	Control    json.RawMessage   `json:"control_after_generate"`
	Options    []json.RawMessage // of new combos
	Multiple   bool              `json:"multiselect"`
	Image      bool              `json:"image_upload"`
	Video      bool              `json:"video_upload"`
	Audio      bool              `json:"audio_upload"`
	File       bool              `json:"file_upload"`
}

func (k interner) input(name string, spec json.RawMessage) (ClassInput, bool) {
	var parts []json.RawMessage
	if json.Unmarshal(spec, &parts) != nil || len(parts) == 0 {
		return ClassInput{}, false
	}
	in := ClassInput{Name: k.text(name)}
	var typeName string
	var choices []json.RawMessage
	switch {
	case json.Unmarshal(parts[0], &typeName) == nil:
		in.Type = k.text(typeName)
	case json.Unmarshal(parts[0], &choices) == nil:
		in.Type = "COMBO"
	default:
		return ClassInput{}, false
	}
	if len(parts) > 1 {
		choices = k.options(&in, parts[1], choices)
	}
	if in.Type == "COMBO" {
		in.Choices = k.choices(choices)
	}
	return in, true
}

// options reads an input's options, and gives the choices among them.
func (k interner) options(in *ClassInput, raw json.RawMessage, choices []json.RawMessage) []json.RawMessage {
	var o inputOptions
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	// An option of an unexpected type is as good as absent; the others count.
	_ = dec.Decode(&o)
	in.ForceInput, in.Socketless, in.Widget, in.Multiple = o.ForceInput, o.Socketless, o.WidgetType, o.Multiple
	in.DynamicPrompts = o.Dynamic
	in.Min, _ = o.Min.(json.Number)
	in.Max, _ = o.Max.(json.Number)
	if len(o.Default) > 0 && string(o.Default) != "null" {
		in.Default = o.Default
	}
	switch control := strings.TrimSpace(string(o.Control)); control {
	case "", "null", "false":
	default:
		in.Control = true
	}
	switch {
	case o.Image:
		in.Upload = "image"
	case o.Video:
		in.Upload = "video"
	case o.Audio:
		in.Upload = "audio"
	case o.File:
		in.Upload = "file"
	}
	if in.Type == "COMFY_DYNAMICCOMBO_V3" {
		in.Dynamic = k.dynamic(o.Options)
	} else if choices == nil {
		return o.Options
	}
	return choices
}

func (k interner) dynamic(options []json.RawMessage) []DynamicChoice {
	var all []DynamicChoice
	for _, raw := range options {
		var o struct {
			Key    string
			Inputs map[string]json.RawMessage
		}
		if json.Unmarshal(raw, &o) != nil {
			continue
		}
		choice := DynamicChoice{Key: o.Key}
		for _, part := range [...]string{"required", "optional"} {
			inputs, _ := k.inputs(o.Inputs[part], nil)
			for i := range inputs {
				inputs[i].Optional = part == "optional"
			}
			choice.Inputs = append(choice.Inputs, inputs...)
		}
		all = append(all, choice)
	}
	return all
}

func (k interner) choices(raw []json.RawMessage) []string {
	list := make([]string, len(raw))
	var key strings.Builder
	for i, r := range raw {
		if json.Unmarshal(r, &list[i]) != nil {
			list[i] = string(r)
		}
		key.WriteString(list[i])
		key.WriteByte(0)
	}
	whole := "choices " + key.String()
	if kept, ok := k[whole]; ok {
		return kept
	}
	k[whole] = list
	return list
}

func (k interner) text(s string) string {
	whole := "text " + s
	if kept, ok := k[whole]; ok {
		return kept[0]
	}
	k[whole] = []string{s}
	return s
}

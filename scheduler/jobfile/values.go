package jobfile

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"reckoner/scheduler/job"
)

// field is a place for a value in a node's list of values: an input that the
// page shows as something to set.
type field struct {
	node    string // in a group node: which of the nodes inside
	name    string // with the names of choices before it: "model.duration"
	in      job.ClassInput
	control bool // "fixed", "randomize" and their like may follow
	linked  bool // a link counts instead, so the value may be stale
	forced  bool // a socket all the same, whose value older pages kept: never sent
}

// value is what a field got.
type value struct {
	node, name string
	value      json.RawMessage
	missing    bool // the list ended before: the server's default
	forced     bool // not to be sent
}

// dynamicCombo is the type of an input whose choices bring further inputs.
const dynamicCombo = "COMFY_DYNAMICCOMBO_V3"

// fieldsOf gives the fields of a class in the page's order. Inputs of types that
// only some script of the page knows count as fields where guess says so and the
// node has no socket of that name.
func fieldsOf(class job.Class, n *uiNode, guess bool) []field {
	return fieldsIn(class.Inputs, "", n, guess)
}

func fieldsIn(inputs []job.ClassInput, prefix string, n *uiNode, guess bool) []field {
	var fields []field
	for _, in := range inputs {
		f := field{name: prefix + in.Name, in: in}
		socket, widget, linked := n.socket(f.name)
		switch {
		case in.ForceInput:
			if !guess || !widget {
				continue
			}
			f.forced = true
		case isValueType(in), in.Socketless, widget:
		case guess && !socket && !in.Optional:
		default:
			continue
		}
		f.linked = linked
		f.control = in.Control || in.Type == "INT" && (in.Name == "seed" || in.Name == "noise_seed")
		fields = append(fields, f)
	}
	return fields
}

// socket tells whether a node has a socket of a name, whether that stands for a
// value, and whether it is linked.
func (n *uiNode) socket(name string) (has, widget, linked bool) {
	for _, in := range n.inputs {
		if in.name == name || in.widget == name {
			return true, in.widget != "", in.link != ""
		}
	}
	return false, false, false
}

// isValueType tells the types that the page itself has something to set for.
func isValueType(in job.ClassInput) bool {
	switch in.Type {
	case "INT", "FLOAT", "STRING", "BOOLEAN", "COMBO", "COLOR", "MARKDOWN", dynamicCombo:
		return true
	}
	return in.Widget != ""
}

// align lays a list of values along fields, and gives what each field got. Beside
// the values stand some of the page's own: after seeds what becomes of them, and
// upload buttons. When types and counts leave no way it fails: then the values
// are shifted, or the node is of another version.
func align(fields []field, values []json.RawMessage, inner innerFields) ([]value, bool) {
	for _, mayEnd := range [...]bool{false, true} {
		a := aligner{values: values, mayEnd: mayEnd, inner: inner, tries: maxTries}
		for _, f := range fields {
			a.uploads += uploadsOf(f.in)
		}
		if a.try(fields, 0) {
			return a.got, true
		}
	}
	return nil, false
}

// innerFields gives the fields that a choice brings, under a prefix.
type innerFields func(prefix string, in []job.ClassInput) []field

// maxTries bounds the search: where several ways were open at every field it
// would double with each.
const maxTries = 5000

type aligner struct {
	values  []json.RawMessage
	mayEnd  bool // the list may be shorter: fields that came later
	inner   innerFields
	uploads int // buttons whose values may lie anywhere
	tries   int
	got     []value
}

// uploadsOf gives how many values of its own an upload brings: the button, and
// the player of a sound.
func uploadsOf(in job.ClassInput) int {
	switch in.Upload {
	case "":
		return 0
	case "audio":
		return 2
	}
	return 1
}

// try lays the values from a place on along fields, and leaves in got what they
// got when it works out.
func (a *aligner) try(fields []field, at int) bool {
	if a.tries--; a.tries < 0 {
		return false
	}
	switch {
	case len(fields) == 0:
		return a.leaves(at)
	case at < len(a.values):
		return a.take(fields, at) || a.skipButton(fields, at)
	case !a.mayEnd:
		return false
	}
	f := fields[0]
	return a.with(value{node: f.node, name: f.name, missing: true, forced: f.forced}, fields[1:], at)
}

// with tries the rest when a field got a value.
func (a *aligner) with(v value, rest []field, at int) bool {
	a.got = append(a.got, v)
	if a.try(rest, at) {
		return true
	}
	a.got = a.got[:len(a.got)-1]
	return false
}

// take gives a field the next value.
func (a *aligner) take(fields []field, at int) bool {
	f, rest, v := fields[0], fields[1:], a.values[at]
	if !fits(f, v) {
		return false
	}
	if f.in.Type == dynamicCombo && a.inner != nil {
		rest = slices.Concat(a.inner(f.name+".", choiceOf(f.in, v)), rest)
	}
	got := value{node: f.node, name: f.name, value: v, forced: f.forced}
	for _, extra := range a.extras(f, at+1) {
		if a.with(got, rest, at+1+extra) {
			return true
		}
	}
	return false
}

// skipButton takes the next value for that of an upload button.
func (a *aligner) skipButton(fields []field, at int) bool {
	if a.uploads == 0 || !isButton(a.values[at]) {
		return false
	}
	a.uploads--
	if a.try(fields, at+1) {
		return true
	}
	a.uploads++
	return false
}

// leaves tells whether what is left of the values is the page's own.
func (a *aligner) leaves(at int) bool {
	buttons := a.uploads
	for _, v := range a.values[min(at, len(a.values)):] {
		if isLeftOver(v) {
			continue
		}
		if buttons--; buttons < 0 || !isButton(v) {
			return false
		}
	}
	return true
}

// extras gives how many values of the page's own may follow a field, the usual
// number first.
func (a *aligner) extras(f field, at int) []int {
	if !f.control || at >= len(a.values) {
		return []int{0}
	}
	word, isText := text(a.values[at])
	switch {
	case isText && isControl(word) && f.in.Type == "COMBO":
		return []int{2, 1, 0} // a filter for the choices follows
	case isText && isControl(word):
		return []int{1, 0}
	case !isText && (kind(a.values[at]) == 'n' || kind(a.values[at]) == 't' || kind(a.values[at]) == 'f'):
		return []int{1, 0} // oldest files, and some packs
	}
	return []int{0}
}

func isControl(word string) bool {
	switch word {
	case "fixed", "randomize", "increment", "decrement", "increment-wrap":
		return true
	}
	return false
}

// isButton tells the values that upload buttons and players leave behind.
func isButton(v json.RawMessage) bool {
	s, isText := text(v)
	return kind(v) == 'n' || isText && (s == "" || s == "image" || s == "video" || s == "audio" || s == "file")
}

// isLeftOver tells what pages leave behind the last value: empty, or an object
// that describes a preview.
func isLeftOver(v json.RawMessage) bool {
	s, isText := text(v)
	return kind(v) == 'n' || kind(v) == '{' || isText && s == ""
}

// fits tells whether a field can have a value.
func fits(f field, v json.RawMessage) bool {
	k := kind(v)
	if f.linked { // stale: its kind must do, or nothing at all
		return k == 'n' || fitsKind(f.in.Type, k)
	}
	switch f.in.Type {
	case "INT":
		n, ok := number(v)
		return ok && n == math.Trunc(n) && inRange(f.in, n)
	case "FLOAT":
		n, ok := number(v)
		return ok && inRange(f.in, n)
	case "BOOLEAN":
		return k == 't' || k == 'f'
	case "STRING", "COLOR", "MARKDOWN":
		return k == '"'
	case "COMBO":
		return fitsChoices(f.in, v)
	case dynamicCombo:
		s, ok := text(v)
		return ok && slices.ContainsFunc(f.in.Dynamic, func(d job.DynamicChoice) bool { return d.Key == s })
	}
	return true
}

func fitsKind(typ string, k byte) bool {
	isNumber := k == '-' || k >= '0' && k <= '9'
	switch typ {
	case "INT", "FLOAT":
		return isNumber
	case "BOOLEAN":
		return k == 't' || k == 'f'
	case "STRING", dynamicCombo:
		return k == '"'
	case "COMBO":
		return k == '"' || isNumber || k == 't' || k == 'f' || k == '['
	}
	return true
}

// inRange tells whether a number is within the bounds that the server names.
// Large bounds are rounded by some servers and in old files.
func inRange(in job.ClassInput, n float64) bool {
	const rounding = 1e-9
	if low, err := strconv.ParseFloat(string(in.Min), 64); err == nil && n < low-math.Abs(low)*rounding {
		return false
	}
	high, err := strconv.ParseFloat(string(in.Max), 64)
	return err != nil || n <= high+math.Abs(high)*rounding
}

// fitsChoices tells whether a value is one of a combo's choices. A file may be
// missing on this server and is still a file: whether it is there is asked
// later, by its name.
func fitsChoices(in job.ClassInput, v json.RawMessage) bool {
	if in.Multiple {
		list, ok := elements(v)
		single := in
		single.Multiple = false
		return ok && !slices.ContainsFunc(list, func(v json.RawMessage) bool { return !fitsChoices(single, v) })
	}
	s, isText := text(v)
	if !isText {
		k := kind(v)
		return k != '{' && k != '[' && k != 'n' && (len(in.Choices) == 0 || slices.Contains(in.Choices, string(v)))
	}
	if len(in.Choices) == 0 || slices.Contains(in.Choices, s) || in.Upload != "" {
		return true
	}
	return isFileName(s) && (hasFiles(in.Choices) || isModel(s))
}

func hasFiles(choices []string) bool { return slices.ContainsFunc(choices, isFileName) }

// isFileName tells a name with an ending from the other choices.
func isFileName(s string) bool {
	dot := strings.LastIndexByte(s, '.')
	if dot < 1 || len(s)-dot < 3 || len(s)-dot > 12 || strings.ContainsAny(s, "\n\r") {
		return false
	}
	return strings.IndexFunc(s[dot+1:], func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}) < 0
}

// choiceOf gives the inputs that a choice brings.
func choiceOf(in job.ClassInput, v json.RawMessage) []job.ClassInput {
	s, _ := text(v)
	for _, d := range in.Dynamic {
		if d.Key == s {
			return d.Inputs
		}
	}
	return nil
}

// defaultOf gives the value that a new node has on the page. A file among the
// choices is nobody's default.
func defaultOf(in job.ClassInput) (json.RawMessage, bool) {
	switch {
	case in.Default != nil:
		return in.Default, true
	case in.Type == "COMBO" && !in.Multiple && len(in.Choices) > 0 && !hasFiles(in.Choices) && in.Upload == "":
		out, err := json.Marshal(in.Choices[0])
		return out, err == nil
	case in.Type == "BOOLEAN":
		return json.RawMessage("false"), true
	case in.Type == "STRING":
		return json.RawMessage(`""`), true
	}
	return nil, false
}

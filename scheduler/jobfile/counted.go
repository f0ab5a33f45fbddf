package jobfile

import (
	"encoding/json"
	"strconv"
	"strings"

	"reckoner/scheduler/job"
)

// counted gives what a plain value adds to the job type, and false when it adds
// nothing: prompts, seeds, names of files to read or write, and settings that
// are known to cost no time. Whatever is not known to be free counts: a type
// split too finely only takes longer to learn, one too coarse would lie.
func counted(class string, in job.Input) (string, bool) {
	if isFree(in.Name) {
		return "", false
	}
	if _, ok := mediaFile(class, in); ok {
		return "", false
	}
	if isLongText(in.Value) {
		return "", false
	}
	if s, ok := text(in.Value); ok {
		return countedText(class, s)
	}
	if v, ok := number(in.Value); ok {
		return countedNumber(in.Name, v), true
	}
	return string(canonical(in.Value)), true
}

// isFree tells an input that costs nothing by its name.
func isFree(name string) bool {
	lower := strings.ToLower(name)
	switch lower {
	case "fps", "frame_rate", "color", "guidance", "shift", "max_shift", "base_shift",
		"filename_prefix", "filename", "output_path", "upload", "control_after_generate", "video-preview",
		"videopreview", "preview_method", "save_output", "save_metadata", "title", "label",
		"positive", "negative", "caption", "captions", "lyrics", "tags", "string", "wildcard",
		"clip_l", "clip_g", "t5xxl", "llama", "bert", "mt5xl", "text_g", "text_l":
		return true
	}
	return strings.Contains(lower, "seed") || strings.Contains(lower, "prompt") ||
		lower == "text" || strings.HasPrefix(lower, "text_") || strings.HasSuffix(lower, "_text") ||
		strings.HasPrefix(lower, "texts")
}

// longText is where a choice ends and a prompt begins: no name of a sampler, a
// format or a precision is as long.
const longText = 80

func countedText(class, s string) (string, bool) {
	if isModel(s) {
		// Windows servers spell folders the other way (comfyui-protocol, 5.7).
		return "model " + strings.ReplaceAll(s, `\`, "/"), true
	}
	if len(s) > longText || strings.ContainsAny(s, "\n\r") {
		return "", false
	}
	for _, word := range [...]string{"TextEncode", "String", "Text", "Prompt", "Note"} {
		if strings.Contains(class, word) {
			return "", false
		}
	}
	return "choice " + s, true
}

// countedNumber writes a number so that 20 and 20.0 are the same, and 0.87 and
// the 0.8700000000000001 that browsers write. Of a guidance
// scale it matters whether it is 1 (each step then evaluates the model once,
// else twice), of a strength whether it is 0 (then nothing is done).
func countedNumber(name string, v float64) string {
	switch {
	case name == "cfg" || name == "cfg_scale":
		return "one " + strconv.FormatBool(v == 1)
	case strings.HasPrefix(name, "strength") || name == "weight":
		return "zero " + strconv.FormatBool(v == 0)
	}
	return "number " + strconv.FormatFloat(v, 'g', 9, 64)
}

// canonical writes a JSON value with the names of its objects in order.
func canonical(raw json.RawMessage) []byte {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return raw
	}
	out, err := json.Marshal(v)
	if err != nil {
		return raw
	}
	return out
}

package text

import (
	"fmt"
	"strings"

	"reckoner/scheduler/job"
)

// notQueued is what was kept when a file is refused.
const notQueued = "Nothing was queued."

// englishFileFailure has files that are no jobs.
func englishFileFailure(e *job.Error) (what, next string) {
	a := e.Args
	f := or(a.File, "The file")
	node := fmt.Sprintf("%s in %s", capital(nodeName(a.Node, a.Class)), or(a.File, "the file"))
	switch e.Code {
	case job.ErrUIFormat:
		return fmt.Sprintf("%s is a workflow in the format of ComfyUI's page, and no render server answered "+
				"that could tell what its nodes are. %s", f, notQueued),
			"Add it again when a server answers, or choose Workflow > Export (API) in ComfyUI's page and add that file."
	case job.ErrNotJSON:
		return fmt.Sprintf("%s is not valid JSON%s%s. %s", f, line(a), notUTF8(a), notQueued),
			"Export it again with Workflow > Export (API), or correct that line."
	case job.ErrTruncated:
		return fmt.Sprintf("%s is cut off: it ends in the middle%s. %s", f, line(a), notQueued),
			"Copy or download it again; the rest is missing."
	case job.ErrEmptyFile:
		return fmt.Sprintf("%s is empty. %s", f, notQueued),
			"Export the workflow again with Workflow > Export (API)."
	case job.ErrNotWorkflow:
		return fmt.Sprintf("%s is not a workflow: %s. %s", f, notWorkflow(a), notQueued),
			"Add a file made with Workflow > Export (API) in ComfyUI's page."
	case job.ErrNoOutputNode:
		return fmt.Sprintf("Nothing in %s would be saved: it has no output node. %s",
				or(a.File, "the file"), notQueued),
			"Add a node such as Save Image to the workflow and export it again."
	case job.ErrNoClass:
		return fmt.Sprintf("%s has no class_type, so it is not known what it does. %s", node, notQueued),
			"Export the workflow again with Workflow > Export (API)."
	case job.ErrCycle:
		return fmt.Sprintf("%s waits for its own result. %s", node, notQueued),
			"Take out the link that closes the circle and export the workflow again."
	case job.ErrDangling:
		return fmt.Sprintf("%s links with %s to %s, which is not there. %s",
				node, inputName(a.Input), nodeName(a.Value, ""), notQueued),
			"Connect that input and export the workflow again."
	case job.ErrFileTooLarge:
		limit := ""
		if a.Bytes > 0 {
			limit = fmt.Sprintf(" (more than %s)", English.Bytes(a.Bytes))
		}
		return fmt.Sprintf("%s is too large for a workflow%s. %s", f, limit, notQueued),
			"Put large pictures on the server and load them by name instead of inside the workflow."
	case job.ErrUnreadable:
		return fmt.Sprintf("%s could not be read%s. %s", f, said(reasonOnly(a.Detail)), notQueued),
			"Check that it is there and that you may read it."
	case job.ErrFolder:
		return fmt.Sprintf("%s is a folder. %s", f, notQueued), "Add the files in it."
	}
	return "", ""
}

// englishInputFailure has the files that a job reads.
func englishInputFailure(e *job.Error) (what, next string) {
	a := e.Args
	switch {
	case e.Code == job.ErrMissingInput:
		return fmt.Sprintf("The job reads %s%s, which is neither next to its file nor on a server. Nothing was sent.",
				or(a.File, "a file"), atNode(job.Args{Node: a.Node, Class: a.Value})),
			"Drop the file together with the job, or lay it next to the job's file and run the job again."
	case e.Code == job.ErrSameName:
		return fmt.Sprintf("%s reads %s, and several different files of that name were dropped%s. It was not added.",
				or(a.Job, "The job"), or(a.File, "a file"),
				inBrackets(strings.Join(a.Allowed[:min(len(a.Allowed), 4)], ", "))),
			"Drop it with the one that is meant, or put that next to the job file."
	case e.Code == job.ErrWhichInput && len(a.Allowed) > 0:
		return fmt.Sprintf("%s could be the input of %d nodes of %s: %s. %s", or(a.File, "The file"), a.Count,
				or(a.Job, "the job"), strings.Join(a.Allowed, ", "), notQueued),
			"Say which node reads it (--input), or give the file the name that the workflow has there."
	case e.Code == job.ErrWhichInput:
		return fmt.Sprintf("%s could be the input of %d jobs. %s", or(a.File, "The file"), a.Count, notQueued),
			"Add it together with one of them only."
	}
	return "", ""
}

// englishMediaFailure has pictures, videos and sounds, with a workflow inside or
// without.
func englishMediaFailure(e *job.Error) (what, next string) {
	a := e.Args
	f := or(a.File, "The file")
	switch {
	case e.Code == job.ErrA1111:
		return fmt.Sprintf("%s holds the parameters of another program (AUTOMATIC1111), not a ComfyUI workflow. %s",
				f, notQueued),
			"Rebuild it as a workflow in ComfyUI's page, then choose Workflow > Export (API)."
	case e.Code == job.ErrPicture && a.Count > 0:
		return fmt.Sprintf("%s is %s with a workflow inside that could not be read. %s", f, media(a.Value), notQueued),
			"Drop it on ComfyUI's page, choose Workflow > Export (API) there, then add that file."
	case e.Code == job.ErrPicture:
		return fmt.Sprintf("%s is %s without a workflow, not a job. %s", f, media(a.Value), notQueued),
			"Add the original file as ComfyUI made it: copies often lose the workflow. As an input, name it in a workflow."
	}
	return "", ""
}

func media(format string) string {
	switch name := strings.ToUpper(format); format {
	case "":
		return "a picture or video"
	case "mp4", "avif", "avi":
		return "an " + name + kindOfMedia(format)
	default:
		return "a " + name + kindOfMedia(format)
	}
}

func kindOfMedia(format string) string {
	switch format {
	case "mp4", "mov", "webm", "avi":
		return " video"
	case "flac", "mp3", "ogg", "wav":
		return " sound file"
	case "glb":
		return " model"
	}
	return " picture"
}

func line(a job.Args) string {
	if a.Count == 0 || a.Value == "png" {
		return ""
	}
	return fmt.Sprintf(", in line %d", a.Count)
}

func notUTF8(a job.Args) string {
	if a.Value == "not_utf8" {
		return " (its text is not UTF-8)"
	}
	return ""
}

// notWorkflow says what a file is instead (jobfile's values of ErrNotWorkflow).
func notWorkflow(a job.Args) string {
	switch a.Value {
	case "empty_object", "no_nodes":
		return "it has no nodes"
	case "bad_nodes", "bad_subgraph":
		return "its nodes do not have the shape that ComfyUI's page gives them"
	case "no_classes":
		return "it describes no node classes"
	case "empty_list", "list":
		return "it is a list"
	case "null", "number", "boolean", "string":
		return "it holds a bare value (" + a.Value + ")"
	case "object":
		return "it is JSON for something else"
	case "several":
		return "it holds several jobs, and it is not clear which is meant"
	case "too_deep":
		return "it is nested too deeply"
	case "bad_inputs":
		return fmt.Sprintf("the inputs of node %s are not a set of names and values", a.Node)
	case "html":
		return "it is a web page"
	case "safetensors":
		return "it holds a model's weights"
	case "pickle", "program", "zip", "7z", "gzip", "pdf":
		return "it is a file of another kind (" + a.Value + ")"
	}
	return or(a.Value, "it is something else")
}

func nodeName(id, class string) string {
	if id == "" {
		return "a node" + inBrackets(class)
	}
	return "node " + id + inBrackets(class)
}

func inputName(name string) string {
	if name == "" {
		return "an input"
	}
	return "its input " + name
}

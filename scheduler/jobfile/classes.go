package jobfile

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"reckoner/scheduler/job"
)

// MaxClassBytes is the largest answer of /object_info that is read. With very
// many custom nodes it is some 20 MB.
const MaxClassBytes = 128 << 20

// ReadClasses reads a saved answer of a server's /object_info. Bare NaN and
// Infinity, which custom nodes put there, are taken as absent. The error is a
// *job.Error whose File argument is the name.
func ReadClasses(r io.Reader, name string) (job.Classes, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxClassBytes+1))
	if err != nil {
		return nil, job.Errorf(job.ErrUnreadable, job.Args{File: name, Detail: err.Error()}, err)
	}
	if len(data) > MaxClassBytes {
		return nil, job.Errorf(job.ErrFileTooLarge, job.Args{File: name, Bytes: MaxClassBytes}, nil)
	}
	doc, jerr := decodeText(data)
	if jerr != nil {
		jerr.Args.File = name
		return nil, jerr
	}
	doc, _, _ = withoutNaN(doc)
	var classes job.Classes
	if err := json.Unmarshal(doc, &classes); err != nil {
		return nil, job.Errorf(job.ErrNotJSON, job.Args{File: name, Detail: fmt.Sprintf("object_info: %v", err)}, err)
	}
	if len(classes) == 0 {
		return nil, job.Errorf(job.ErrNotWorkflow, job.Args{File: name, Value: "no_classes"}, nil)
	}
	return classes, nil
}

// MergeClasses makes one table of several, whatever their order: where two
// describe a class, the one with more inputs counts, which is the newer one, and
// a choice that either has is a choice.
func MergeClasses(tables ...job.Classes) job.Classes {
	all := job.Classes{}
	for _, table := range tables {
		for name, class := range table {
			if known, ok := all[name]; ok {
				class = mergeClass(known, class)
			}
			all[name] = class
		}
	}
	return all
}

func mergeClass(a, b job.Class) job.Class {
	if len(b.Inputs) > len(a.Inputs) {
		a, b = b, a
	}
	a.Inputs = slices.Clone(a.Inputs)
	for i, in := range a.Inputs {
		at := slices.IndexFunc(b.Inputs, func(other job.ClassInput) bool {
			return other.Name == in.Name && other.Type == in.Type
		})
		if at < 0 {
			continue
		}
		for _, choice := range b.Inputs[at].Choices {
			if !slices.Contains(a.Inputs[i].Choices, choice) {
				a.Inputs[i].Choices = append(slices.Clip(a.Inputs[i].Choices), choice)
			}
		}
		if a.Inputs[i].Upload == "" {
			a.Inputs[i].Upload = b.Inputs[at].Upload
		}
	}
	return a
}

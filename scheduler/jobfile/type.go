package jobfile

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"

	"reckoner/scheduler/job"
)

// typeVersion is part of every key. It changes when keys of the same graph
// would, so that old baselines are not mixed with other work.
const typeVersion = "reckoner job type 1"

// TypeOf gives a graph's job type.
//
// The key is a hash of the graph's structure: each node that an output needs is
// hashed with its class, what it counts of its values (see counted), and the
// hashes of its sources; then once more downwards with those of its consumers,
// so that it matters who shares a node; and all of them in sorted order. Ids and
// order do not enter. A graph in a circle, or with nothing to run, has no key.
func TypeOf(g job.Graph) job.Type {
	x := newIndex(g)
	known, doubtful := x.outputs()
	marked := x.needed(append(append([]int(nil), known...), doubtful...))
	f := FactsOf(g)
	t := job.Type{Task: x.task(marked, f), Cost: f.Cost, Models: f.Models, Partial: f.Partial}
	sorted, _, ok := x.order(marked)
	if !ok || len(sorted) == 0 {
		return t
	}
	t.Key = x.key(sorted)
	return t
}

type digest = [sha256.Size]byte

func (x index) key(sorted []int) string {
	up := make([]digest, len(x.nodes))
	for _, n := range sorted {
		up[n] = x.digestUp(n, up)
	}
	down := x.digestsDown(sorted, up)
	all := make([]string, 0, len(sorted))
	for _, n := range sorted {
		// A constant is folded into those that use it.
		if _, folded := constant(x.nodes[n]); !folded {
			all = append(all, string(down[n][:]))
		}
	}
	slices.Sort(all)
	sum := hashOf(typeVersion, all)
	return hex.EncodeToString(sum[:16])
}

// digestUp hashes a node with everything it is made from.
func (x index) digestUp(n int, up []digest) digest {
	node := x.nodes[n]
	parts := make([]string, 0, len(node.Inputs))
	for _, in := range node.Inputs {
		value := in.Value
		if in.Link != nil {
			from, ok := x.at[in.Link.Node]
			if !ok {
				continue
			}
			v, folded := constant(x.nodes[from])
			if !folded {
				h := hashOf("link", []string{in.Name, strconv.Itoa(in.Link.Slot), string(up[from][:])})
				parts = append(parts, string(h[:]))
				continue
			}
			value = v
		}
		if token, ok := counted(node.Class, job.Input{Name: in.Name, Value: value}); ok {
			h := hashOf("value", []string{in.Name, token})
			parts = append(parts, string(h[:]))
		}
	}
	slices.Sort(parts)
	return hashOf("node "+node.Class, parts)
}

// digestsDown hashes each node with everything that is made from it.
func (x index) digestsDown(sorted []int, up []digest) []digest {
	down := make([]digest, len(x.nodes))
	uses := make([][]string, len(x.nodes))
	for _, n := range slices.Backward(sorted) {
		slices.Sort(uses[n])
		down[n] = hashOf("uses "+string(up[n][:]), uses[n])
		uses[n] = nil
		for _, in := range x.nodes[n].Inputs {
			if in.Link == nil {
				continue
			}
			if from, ok := x.at[in.Link.Node]; ok {
				h := hashOf("use", []string{in.Name, strconv.Itoa(in.Link.Slot), string(down[n][:])})
				uses[from] = append(uses[from], string(h[:]))
			}
		}
	}
	return down
}

// hashOf hashes a list so that no other list has the same bytes: every part
// goes in with its length.
func hashOf(name string, parts []string) digest {
	h := sha256.New()
	for _, p := range append([]string{name}, parts...) {
		h.Write([]byte(strconv.Itoa(len(p))))
		h.Write([]byte{':'})
		h.Write([]byte(p))
	}
	return digest(h.Sum(nil))
}

package sim

import (
	"slices"
	"testing"
)

// The order of a recorded queue: running 25; six plain posts, two to the front,
// two with the number 0.5; then one is deleted.
func TestHeapKeepsPythonsArray(t *testing.T) {
	var h []*item
	for _, it := range []item{
		{number: 26, id: "n0"},
		{number: 27, id: "n1"},
		{number: 28, id: "n2"},
		{number: 29, id: "n3"},
		{number: 30, id: "n4"},
		{number: 31, id: "n5"},
		{number: -32, id: "f1"},
		{number: -33, id: "f2"},
		{number: 0.5, id: "ex-b"},
		{number: 0.5, id: "ex-a"},
	} {
		h = heapPush(h, &it)
	}
	ids := func() (out []string) {
		for _, it := range h {
			out = append(out, it.id)
		}
		return out
	}
	want := []string{"f2", "f1", "n0", "ex-b", "ex-a", "n5", "n2", "n3", "n1", "n4"}
	if !slices.Equal(ids(), want) {
		t.Errorf("array %v, want %v", ids(), want)
	}

	h = heapDelete(h, slices.IndexFunc(h, func(it *item) bool { return it.id == "n3" }))
	var order []string
	for len(h) > 0 {
		var it *item
		h, it = heapPop(h)
		order = append(order, it.id)
	}
	want = []string{"f2", "f1", "ex-a", "ex-b", "n0", "n1", "n2", "n4", "n5"}
	if !slices.Equal(order, want) {
		t.Errorf("executed %v, want %v", order, want)
	}
}

package machines

import (
	"strings"
	"testing"

	"reckoner/app/scenetest"
	"reckoner/app/theme"
	"reckoner/scheduler/job"
)

func TestOthersAreLookedForOnAButtonAndOfferedAsWatched(t *testing.T) {
	// Given a page of machines, nothing is looked for by itself.
	p, _ := newTestPage(t, theme.New(theme.Dark, 1))
	var asked []job.ID
	var answer func(Looked)
	p.OnLook = func(machine job.ID, done func(Looked)) { asked, answer = append(asked, machine), done }
	var wishes []Wish
	p.OnAdd = func(w Wish, done func(string)) { wishes = append(wishes, w); done("The disk is full.") }
	s := scenetest.Story()
	p.Apply(s)
	if len(asked) != 0 {
		t.Fatal("it was looked for unasked")
	}
	// When the user asks, once at a time,
	p.rows[0].OnAction(doLook)
	p.rows[0].OnAction(doLook)
	if len(asked) != 1 || asked[0] != scenetest.GPU1 || !strings.Contains(texts(p.row(0).Lines), "Asking the usual ports") {
		t.Fatalf("asked %v; the row says %s", asked, texts(p.row(0).Lines))
	}
	// then what was found is offered as watched, apart from what is known.
	answer(Looked{Found: []string{"http://gpu-1:8189", "http://gpu-1:8190"}})
	offered := actions(p.row(0))
	if !strings.Contains(offered, "watch:http://gpu-1:8190=Watch it") || strings.Contains(offered, "watch:http://gpu-1:8189") {
		t.Errorf("offered %s", offered)
	}
	p.rows[0].OnAction("watch:http://gpu-1:8190")
	if len(wishes) != 1 || wishes[0].Address != "http://gpu-1:8190" || wishes[0].Machine != scenetest.GPU1 ||
		!wishes[0].WatchOnly || wishes[0].Change {
		t.Errorf("wished %+v", wishes)
	}
	if !strings.Contains(texts(p.row(0).Lines), "The disk is full.") {
		t.Errorf("what was wrong is not said: %s", texts(p.row(0).Lines))
	}
}

func TestThatNothingWasFoundIsSaid(t *testing.T) {
	p, _ := newTestPage(t, theme.New(theme.Dark, 1))
	p.OnLook = func(_ job.ID, done func(Looked)) { done(Looked{}) }
	p.Apply(scenetest.Story())
	p.rows[1].OnAction(doLook)
	if !strings.Contains(texts(p.row(1).Lines), "No other render server answers") {
		t.Errorf("the row says %s", texts(p.row(1).Lines))
	}
	p.OnLook = func(_ job.ID, done func(Looked)) {
		done(Looked{Err: job.Errorf(job.ErrUnreachable, job.Args{Server: "attic"}, nil)})
	}
	p.rows[1].OnAction(doLook)
	if strings.Contains(texts(p.row(1).Lines), "No other render server answers") {
		t.Errorf("after a failure the row says %s", texts(p.row(1).Lines))
	}
}

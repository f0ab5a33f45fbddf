package estimate_test

import (
	"reflect"
	"testing"
	"time"

	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
)

// told is a book of runs of one type, with what was kept of its log.
func told(runs []estimate.Run, log []job.Revision) *estimate.Book {
	book := estimate.NewBook()
	var logs []job.BaselineLog
	if len(log) > 0 {
		logs = []job.BaselineLog{{TypeKey: "k", GPU: gpu, Revisions: log}}
	}
	book.Learn([]job.Type{{Key: "k"}}, map[string][]estimate.Run{"k": runs}, logs)
	return book
}

func TestAProposalSurvivesARestartThatHasForgottenTheRunsBeforeIt(t *testing.T) {
	// Given a baseline of 41 and a proposal that waits
	runs := slower()
	before := told(runs, nil)
	log := before.Revisions("k", gpu)
	usual := before.Baseline("k", gpu)

	// when Reckoner starts again, and only the newest runs are read
	again := told(runs[41:], log)

	// then the usual time is what it was, and the proposal still waits,
	if !reflect.DeepEqual(again.Baseline("k", gpu), usual) {
		t.Errorf("the usual time became %v, it was %v", again.Baseline("k", gpu).MidS(), usual.MidS())
	}
	if waiting := again.Proposals(); len(waiting) != 1 || !reflect.DeepEqual(waiting[0].Revisions, log) {
		t.Fatalf("%+v waits, want the proposal", waiting)
	}
	// and can be taken, and undone after one more start.
	end := time.Unix(1000*3600, 0)
	again.Answer("k", gpu, job.BaselineAnswer{At: end, Kind: job.AnswerUse, About: log[len(log)-1].Seq})
	taken := again.Revisions("k", gpu)
	if b := again.Baseline("k", gpu); b.N() != 5 || b.MidS() != 356 {
		t.Errorf("taken it is %v over %d runs", b.MidS(), b.N())
	}
	third := told(runs[44:], taken)
	if b := third.Baseline("k", gpu); b.N() != 5 || b.MidS() != 356 {
		t.Errorf("after another start it is %v over %d runs", b.MidS(), b.N())
	}
	third.Answer("k", gpu, job.BaselineAnswer{At: end, Kind: job.AnswerUndo, About: taken[len(taken)-1].Seq})
	if !reflect.DeepEqual(third.Baseline("k", gpu), usual) {
		t.Errorf("undone it is %v, it was %v", third.Baseline("k", gpu).MidS(), usual.MidS())
	}
}

func TestWhileAChangeIsProposedNothingInsideItIsCalledLong(t *testing.T) {
	book := told(slower(), nil)
	e := book.Estimate(job.Type{Key: "k"}, gpu)
	f := e.Forecast()
	if f.ProposedS != 358 || f.N != 41 {
		t.Fatalf("got %+v, want a proposal up to 358 s beside 41 runs", f)
	}
	if notice, _ := e.NoticeS(); notice < 358 {
		t.Errorf("a run of %v s would be noticed", notice)
	}
	if f.AlarmS < 358 {
		t.Errorf("a run of %v s would raise the alarm", f.AlarmS)
	}
	if bar := e.Bar(f, 357, time.Time{}); bar.Kind != job.BarEstimate {
		t.Errorf("the bar at 357 s is %+v", bar)
	}
	if bar := e.Bar(f, 359, time.Time{}); bar.Kind != job.BarOver {
		t.Errorf("the bar at 359 s is %+v", bar)
	}
	// The limit is the longer of the two.
	if want := 24 * time.Minute; e.Limit() != want {
		t.Errorf("the limit is %v, want %v: four times 356 s", e.Limit(), want)
	}
}

package job

import "time"

// Correction is the user's word about a run that ended: what else was on its GPU,
// or that it is to be kept out of the usual time. What was seen stays in the
// record beside it. Corrections are only ever added.
type Correction struct {
	At    time.Time      `json:"at"`
	Kind  CorrectionKind `json:"kind"`
	Label Label          `json:"label,omitempty"` // of CorrectLabel
}

// CorrectionKind says what the user changed.
type CorrectionKind string

// The kinds of correction.
const (
	CorrectLabel CorrectionKind = "label"
	SetAside     CorrectionKind = "set_aside" // keep it out of the usual time
	TakeIn       CorrectionKind = "take_in"   // let it count again
	CorrectUndo  CorrectionKind = "undo"      // take back the newest correction that stands
)

// Standing gives the corrections that were not taken back, oldest first.
func (r *Run) Standing() []Correction {
	var standing []Correction
	for _, c := range r.Corrections {
		if c.Kind != CorrectUndo {
			standing = append(standing, c)
		} else if len(standing) > 0 {
			standing = standing[:len(standing)-1]
		}
	}
	return standing
}

// Judged is the label that counts: the user's where there is one, else what was
// seen.
func (r *Run) Judged() Label {
	label := r.Label
	for _, c := range r.Standing() {
		if c.Kind == CorrectLabel {
			label = c.Label
		}
	}
	return label
}

// Aside tells whether the user keeps the run out of the usual time.
func (r *Run) Aside() bool {
	aside := false
	for _, c := range r.Standing() {
		switch c.Kind {
		case SetAside:
			aside = true
		case TakeIn:
			aside = false
		case CorrectLabel, CorrectUndo:
		}
	}
	return aside
}

// Changes tells whether a correction would make a difference to the run as it
// stands. One that would not is none.
func (c Correction) Changes(r *Run) bool {
	switch c.Kind {
	case CorrectLabel:
		known := c.Label == Clean || c.Label == Shared || c.Label == LabelUnknown
		return known && c.Label != r.Judged()
	case SetAside:
		return !r.Aside()
	case TakeIn:
		return r.Aside()
	case CorrectUndo:
		return len(r.Standing()) > 0
	}
	return false
}

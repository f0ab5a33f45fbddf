// Package notes is the Notes page: claims about a cause by where they stand, what was
// seen for them and against, the tests that would settle them, and how they were
// worded before. It also makes a note's box for other pages.
//
// It owns how a note reads. It must never say more than the note does: a claim is a
// question until a test or the user says otherwise (DESIGN.md, rule 8).
package notes

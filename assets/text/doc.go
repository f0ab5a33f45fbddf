// Package text turns codes into sentences: what packages say in code form
// (job.Say, job.Error, job.Type, holds, outcomes) becomes what people read in
// the window, the terminal and the `text` fields of JSON lines.
//
// It owns the words and their tone: "your job" and "Reckoner", first what can be
// relied on, the doubt in a word. It never decides anything, never looks
// anything up, and knows nothing of windows. A language is a table of functions;
// see Language.
package text

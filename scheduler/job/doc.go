// Package job holds Reckoner's words as types: jobs, runs, servers, GPUs,
// readings, holds, and what is said about them. Every type that crosses a
// package of this program lives here, so that the packages which use them need
// not know each other.
//
// It owns the meaning of those words: their states, the transitions allowed
// between them, and the derivation of ids. It is the leaf of the import graph:
// it imports the standard library only, and it never does I/O.
package job

// Package remote reaches other computers through the system's ssh: its command
// lines, tunnels to one port of a computer, and the keys by which computers are
// known.
//
// It owns what is given to ssh and what ssh's words mean. The user's own
// configuration, keys and agent stay in force: they are used and never read.
//
// It must never pass on a text as a host that ssh could read as an option,
// never involve a shell of ours, never ask or wait for a person, and never
// believe a computer whose key nobody accepted.
package remote

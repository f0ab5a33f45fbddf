// Package sim is a simulated render machine: GPUs, the render servers that
// compute on them, the people who send work to those servers, and a metrics
// page. It is the demonstration's machine and the tests' peer.
//
// It owns a second reading of ComfyUI's wire protocol, made from recordings of
// real servers and never from our own client: it must not import that client,
// so that a mistake of one cannot hide in the other. What it serves is real
// HTTP, real websockets and real files; only the pictures are made up and the
// work is waiting. Everything it starts it also ends.
//
// A World is opened from a Scenario and started on listeners. Time: work of d
// seconds takes d on the world's clock, divided by its speed; stamps in
// messages, records and the Date header are the clock's.
//
// # Scenarios
//
// A scenario is a JSON file, see Scenario and the files in scenarios/. Two are
// built in: "default", one GPU with a server and a watched second server whose
// own client comes and goes, and "demo", the story that the demonstration
// plays.
//
// # Versions
//
// Protocols lists the profiles, from the middle of 2023 to 2026, and two that
// stand behind something: "proxy", which wants ProxyUser and ProxyPassword, and
// "cloud", which wants CloudKey. A profile is a set of switches, see protocol.go.
// Those of which there are recordings repeat them message by message.
//
// # Faults
//
// Faults holds what can be made to go wrong on a server; Server.SetFaults
// changes it while the server runs, Server.Restart loses all that a restarted
// process loses, Server.DropSockets cuts every websocket. A scenario gives a
// server its faults from the start ("faults") and does things to it later
// ("happenings"); scenarios/README.md lists both by their names.
package sim

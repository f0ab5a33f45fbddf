// Package comfy talks to one ComfyUI process: its HTTP routes and its
// websocket. It turns what the server says into the words of package job, and
// what we want into requests.
//
// It owns the knowledge of the wire: which version can do what, which of many
// shapes an answer may have, and what a failure means for what was sent. HTTP
// is the record; the websocket is a hint that may lose anything at any time.
//
// It must never decide: it sends a prompt once, never tries a POST again, never
// interrupts without naming a prompt, and never clears a queue. What a server
// says is input, not truth: every answer is bounded in size and time and
// checked in type. User, password, tokens and headers stay in memory; they are
// in no error, log or URL that leaves this package.
package comfy

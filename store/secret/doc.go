// Package secret keeps what opens a render server: user names, passwords,
// tokens and headers, under the server's id.
//
// It owns where they lie: the system's keyring, or a file that only the user can
// read where there is no keyring, and it says which. The keyring is asked only
// where one can answer, and only about servers that have something in it, so
// that nobody is asked to unlock a keyring for nothing.
//
// It must never let a secret out but through Get: no error, log line, text or
// JSON of this package holds one.
package secret

package comfy

import "time"

// Pauses between attempts to open a socket.
const (
	shortestPause = time.Second
	longestPause  = 60 * time.Second
	// steadyAfter is how long a socket must have been open for its end to be an
	// ordinary cut, as proxies make them each minute, and not a failure.
	steadyAfter = 10 * time.Second
	// deafAfter is the pause before a client id is used again when the old
	// socket's end was not seen: the server's clean-up of the old one would
	// silence the new one (comfyui-protocol, 2.4).
	deafAfter = 30 * time.Second
)

// pause gives how long to wait before an attempt, after so many failures in a
// row: doubling, and spread by random (0 to under 1) so that not all clients of
// a restarted server come at once.
func pause(failures int, random float64) time.Duration {
	d := longestPause
	if failures < 6 {
		d = min(longestPause, shortestPause<<failures)
	}
	return max(shortestPause, d/2+time.Duration(random*float64(d)/2))
}

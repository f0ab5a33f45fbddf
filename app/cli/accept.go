package cli

import (
	"context"
	"fmt"
	"strings"

	"reckoner/scheduler/remote"
)

// acceptHostKey makes the computer of a render server or of a source of readings
// behind ssh known by the key that the user was shown.
func acceptHostKey(ctx context.Context, address, fingerprint string) error {
	a, err := remote.ParseAddress(address)
	if err != nil {
		// A source names the computer only, and that in ssh's own way.
		host, hostErr := remote.ParseHost(strings.TrimPrefix(address, "ssh:"))
		if hostErr != nil {
			return fmt.Errorf("%q is no computer behind ssh: %w", address, err)
		}
		a.Host = host
	}
	return remote.Accept(ctx, a.Host, fingerprint, remote.Options{})
}

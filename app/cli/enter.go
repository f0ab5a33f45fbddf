package cli

import (
	"context"
	"fmt"

	"reckoner/scheduler/job"
	"reckoner/store/secret"
)

// Entered is a server's address as it was taken apart.
type Entered struct {
	// URL is bare: what records and screens have.
	URL string
	// Place says where what opens the server lies now: "keyring", "file", or ""
	// when the address held nothing of the kind. A file must be said to the user.
	Place string
}

// enterer gives what takes an address apart that the user typed, and keeps what
// opens the server under its id: what the address holds, and key where it is not
// empty, a token or user:password.
func enterer(kept *secret.Store) func(ctx context.Context, server job.ID, address, key string) (Entered, error) {
	return func(ctx context.Context, server job.ID, address, key string) (Entered, error) {
		bare, c, err := splitServerURL(address)
		if err != nil {
			return Entered{}, err
		}
		c = c.with(key)
		place, err := kept.Put(ctx, server, c.Secret)
		if err != nil {
			return Entered{}, fmt.Errorf("keep what opens %s: %w", bare, err)
		}
		return Entered{URL: bare, Place: string(place)}, nil
	}
}

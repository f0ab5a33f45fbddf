package secret

import (
	"errors"

	"github.com/zalando/go-keyring"
)

// service names our entries in the keyring.
const service = "Reckoner"

// system is the keyring of this computer.
type system struct{}

// Available implements Keyring.
func (system) Available() bool { return systemAvailable() }

// Set implements Keyring.
func (system) Set(server, secret string) error { return keyring.Set(service, server, secret) }

// Get implements Keyring.
func (system) Get(server string) (string, error) {
	secret, err := keyring.Get(service, server)
	return secret, notFound(err)
}

// Delete implements Keyring.
func (system) Delete(server string) error { return notFound(keyring.Delete(service, server)) }

func notFound(err error) error {
	if errors.Is(err, keyring.ErrNotFound) {
		return ErrNotFound
	}
	return err
}

//go:build !linux && !windows

package awake

import "context"

// NewSystem gives this computer, which cannot be kept awake by this program yet.
func NewSystem(bool) System { return other{} }

type other struct{}

func (other) OnBattery(context.Context) bool { return false }

func (other) Hold(context.Context, string) (func() error, error) { return nil, ErrUnsupported }

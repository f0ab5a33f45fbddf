package awake

import (
	"fmt"
	"syscall"
)

// closeFD gives logind's lock back: it lasts as long as its descriptor is open.
func closeFD(fd int) error {
	if err := syscall.Close(fd); err != nil {
		return fmt.Errorf("give logind's lock back: %w", err)
	}
	return nil
}

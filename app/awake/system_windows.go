package awake

import (
	"context"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Flags of SetThreadExecutionState (winbase.h).
const (
	esContinuous     = 0x80000000
	esSystemRequired = 0x00000001
)

// NewSystem gives this computer.
func NewSystem(bool) System { return win{} }

type win struct{}

// systemPowerStatus is SYSTEM_POWER_STATUS (winbase.h).
type systemPowerStatus struct {
	acLine, batteryFlag, batteryPercent, saver byte
	lifeTime, fullLifeTime                     uint32
}

// OnBattery asks GetSystemPowerStatus: its first byte is 0 without mains.
func (win) OnBattery(context.Context) bool {
	var s systemPowerStatus
	got, _, _ := windows.NewLazySystemDLL("kernel32.dll").NewProc("GetSystemPowerStatus").
		Call(uintptr(unsafe.Pointer(&s)))
	return got != 0 && s.acLine == 0
}

// Hold asks SetThreadExecutionState on a thread that is kept for it: the request
// is the thread's and ends with it.
func (win) Hold(context.Context, string) (func() error, error) {
	set := windows.NewLazySystemDLL("kernel32.dll").NewProc("SetThreadExecutionState")
	held, end, ended := make(chan error), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if before, _, err := set.Call(esContinuous | esSystemRequired); before == 0 {
			held <- fmt.Errorf("SetThreadExecutionState: %w", err)
			return
		}
		held <- nil
		<-end
		_, _, _ = set.Call(esContinuous) // it cannot fail: the flags are right
	}()
	if err := <-held; err != nil {
		<-ended
		return nil, err
	}
	return func() error { close(end); <-ended; return nil }, nil
}

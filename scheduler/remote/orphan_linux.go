package remote

import (
	"os/exec"
	"syscall"
)

// endWithUs makes the system end ssh when this program is killed: with -N
// nothing else would tell it. The system minds the thread that starts ssh, so
// that one must live as long as ssh does.
func endWithUs(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM
}

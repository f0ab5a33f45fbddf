package text

import (
	"fmt"

	"reckoner/scheduler/job"
)

// again is what Reckoner does by itself about a source that fails.
const again = "Reckoner tries again by itself."

// englishSourceFailure has sources of GPU readings. None of them stops a job:
// without readings the gauges are blank, and nothing is held for it.
func englishSourceFailure(e *job.Error) (what, next string) {
	a := e.Args
	why := func(reason string) string {
		return fmt.Sprintf("No GPU readings from %s: %s.", or(a.Value, "the source"), reason)
	}
	switch e.Code {
	case job.ErrUnreadable:
		if a.Value == "" || a.File != "" {
			return "", "" // a job file
		}
		return why("it could not be read" + said(reasonOnly(a.Detail))), "Check that it is there and that you may read it."
	case job.ErrNoTool:
		return why("the program that reads GPUs is not there"),
			"Install the driver's tools there, or name another source."
	case job.ErrNoDriver:
		return why("the GPU's driver does not answer"), "Check the driver on that computer."
	case job.ErrDriverMismatch:
		return why("the driver was updated while its old module is still loaded"),
			"Restart that computer when its work is done."
	case job.ErrNoGPU:
		return why("it finds no GPU"), "Check that the GPU is visible there, or name another source."
	case job.ErrGPULost:
		return why("a GPU does not answer any more"),
			"Restart that computer; if it comes back, look at power and seating of the card."
	case job.ErrGPUAsleep:
		return why("the GPU is asleep to save power, and asking would wake it"),
			"Nothing to do: readings come when it works."
	case job.ErrToolHung:
		return why("the program that reads GPUs hangs"), again + " If it stays so, look at that computer."
	case job.ErrToolFailed:
		return why("the program that reads GPUs failed" + status(a) + said(a.Detail)), again
	case job.ErrNoPermission:
		return why("this user or container may not ask the GPU"),
			"Give it access to the GPU, or name another source."
	case job.ErrNotExporter:
		return why("what answers there is no metrics page with GPUs"), "Give the address of an exporter's metrics page."
	case job.ErrBadSource:
		return fmt.Sprintf("%s is not a source of GPU readings that Reckoner knows.", or(a.Value, "This")),
			"Use nvidia-smi, ssh:HOST, prom:URL, comfy:URL, amd or file:PATH."
	}
	return "", ""
}

// englishHostFailure has what keeps a source on another computer from being
// read. Errors of render servers with the same codes name a server.
func englishHostFailure(e *job.Error) (what, next string) {
	a := e.Args
	source := or(a.Value, "the source")
	switch {
	case a.Server != "" || a.Value == "":
		return "", ""
	case e.Code == job.ErrUnreachable:
		return fmt.Sprintf("No GPU readings from %s: no connection.", source), again
	case e.Code == job.ErrLogin:
		return fmt.Sprintf("No GPU readings from %s: the login was refused.", source),
			"Check the user's ssh key or password for that computer."
	case e.Code == job.ErrBusy:
		return fmt.Sprintf("No GPU readings from %s: no answer in time.", source), again
	}
	return "", ""
}

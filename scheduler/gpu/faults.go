package gpu

import (
	"strings"

	"reckoner/scheduler/job"
	"reckoner/scheduler/remote"
)

// fault is what the last words of nvidia-smi or ssh mean. The kinds are finer
// than the codes of job, which tell apart what a person has to do.
type fault string

const (
	faultNone        fault = ""
	faultDriver      fault = "driver_not_loaded"
	faultMismatch    fault = "driver_version_mismatch"
	faultNVML        fault = "nvml_unknown"
	faultUnreachable fault = "device_unreachable"
	faultLost        fault = "gpu_lost"
	faultNoGPU       fault = "no_gpu"
	faultField       fault = "bad_field"
	faultLibrary     fault = "nvml_missing"
	faultNoTool      fault = "tool_missing"
	faultPermission  fault = "no_permission"
	faultHung        fault = "timeout_hung_driver"
	faultSSHHost     fault = fault(remote.UnknownHost)
	faultSSHChanged  fault = fault(remote.HostChanged)
	faultSSHLogin    fault = fault(remote.LoginNeeded)
	faultSSHRefused  fault = fault(remote.NotReached)
	faultSSHName     fault = fault(remote.NameUnknown)
	faultSSHLost     fault = fault(remote.LinkLost)
	faultOther       fault = "unknown"
)

// killed stands for the exit status of a tool that we gave up on.
const killed = -1

// sentence is a stable part of a message and what it means.
type sentence struct {
	part string
	kind fault
}

// saidByTool are nvidia-smi's sentences, which mostly come on standard output.
// The more telling ones come first, as one message can hold two.
func saidByTool() []sentence {
	return []sentence{
		{"is not a valid field to query", faultField},
		{"Driver/library version mismatch", faultMismatch},
		{"GPU is lost", faultLost},
		{"Insufficient Permissions", faultPermission},
		{"Unable to determine the device handle", faultUnreachable},
		{"No devices were found", faultNoGPU},
		{"couldn't find libnvidia-ml", faultLibrary},
		{"couldn't communicate with the NVIDIA driver", faultDriver},
		{"Driver Not Loaded", faultDriver},
		{"Failed to initialize NVML: Unknown Error", faultNVML},
	}
}

// saidByShell are sentences of the shell that ssh starts, on standard error.
func saidByShell() []sentence {
	return []sentence{
		{"command not found", faultNoTool},
		{"is not recognized as an internal or external command", faultNoTool},
	}
}

// faultOf tells what a tool's end means, by a short stable part of what it said
// and then by its exit status, which follows NVML's table of errors. The
// sentence that a Windows shell has for an unknown command is translated, so
// there the status and the silence on standard output must do.
func faultOf(stdout, stderr string, exit int) fault {
	if f := match(stdout, saidByTool()); f != faultNone {
		return f
	}
	if f := remote.FaultOf(stderr); f != remote.NoFault {
		return fault(f)
	}
	if f := match(stderr, saidByShell()); f != faultNone {
		return f
	}
	if f := match(stderr, saidByTool()); f != faultNone {
		return f
	}
	return faultOfStatus(exit, strings.TrimSpace(stdout) == "")
}

func faultOfStatus(exit int, silent bool) fault {
	switch exit {
	case 0:
		return faultNone
	case killed:
		return faultHung
	case 4:
		return faultPermission
	case 6:
		return faultNoGPU
	case 9:
		return faultDriver
	case 12:
		return faultLibrary
	case 15:
		return faultLost
	case 18:
		return faultMismatch
	case 127, 9009:
		return faultNoTool
	case 1:
		if silent {
			return faultNoTool
		}
	}
	return faultOther
}

func match(text string, sentences []sentence) fault {
	for _, s := range sentences {
		if strings.Contains(text, s.part) {
			return s.kind
		}
	}
	return faultNone
}

// badField gives the field that the tool does not know.
func badField(stdout string) (string, bool) {
	_, rest, ok := strings.Cut(stdout, `Field "`)
	if !ok {
		return "", false
	}
	field, _, ok := strings.Cut(rest, `" is not a valid field to query`)
	return field, ok
}

// code gives the code of job for a kind.
func (f fault) code() string {
	switch f {
	case faultDriver, faultLibrary:
		return job.ErrNoDriver
	case faultMismatch:
		return job.ErrDriverMismatch
	case faultLost, faultUnreachable:
		return job.ErrGPULost
	case faultNoGPU:
		return job.ErrNoGPU
	case faultNoTool:
		return job.ErrNoTool
	case faultPermission:
		return job.ErrNoPermission
	case faultHung:
		return job.ErrToolHung
	case faultSSHHost:
		return job.ErrHostKey
	case faultSSHChanged:
		return job.ErrHostKeyChanged
	case faultSSHLogin:
		return job.ErrLogin
	case faultSSHRefused, faultSSHName, faultSSHLost:
		return job.ErrUnreachable
	default:
		return job.ErrToolFailed
	}
}

// sourceError makes the error of a source: Value names the source, Detail holds
// the first maxDetail bytes of what was said.
func sourceError(code, source, detail string, cause error) *job.Error {
	detail = strings.ToValidUTF8(strings.TrimSpace(detail), "?")
	if len(detail) > maxDetail {
		detail = strings.ToValidUTF8(detail[:maxDetail], "") + "…"
	}
	return job.Errorf(code, job.Args{Value: source, Detail: detail}, cause)
}

const maxDetail = 500

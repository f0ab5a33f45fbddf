package gpu

import (
	"strconv"
	"strings"

	"reckoner/scheduler/job"
)

// appFields are asked of --query-compute-apps.
const appFields = "gpu_uuid,pid,process_name,used_gpu_memory"

// isAppHeader tells whether a line is the header of the process list.
func isAppHeader(line string) bool {
	return strings.HasPrefix(line, "gpu_uuid"+separator+"pid"+separator)
}

// appRow reads a row of `nvidia-smi --query-compute-apps --format=csv`. Older
// drivers print a process's name with its commas, so uuid and pid are cut from
// the left and the memory from the right. On Windows the memory is never told,
// and the whole desktop is listed: being in the list proves nothing there.
func appRow(line string) (job.Process, bool) {
	uuid, rest, ok := strings.Cut(line, separator)
	if !ok || (!strings.HasPrefix(uuid, "GPU-") && !strings.HasPrefix(uuid, "MIG-")) {
		return job.Process{}, false
	}
	pidCell, rest, ok := strings.Cut(rest, separator)
	if !ok {
		return job.Process{}, false
	}
	pid, err := strconv.Atoi(pidCell)
	if err != nil || pid <= 0 {
		return job.Process{}, false
	}
	cut := strings.LastIndex(rest, separator)
	if cut < 0 {
		return job.Process{}, false
	}
	name, mem := strings.TrimSpace(rest[:cut]), strings.TrimSpace(rest[cut+len(separator):])
	p := job.Process{GPU: plainUUID(uuid), PID: pid}
	if !absent(name) {
		p.Name = name
	}
	if absent(mem) {
		return p, true
	}
	size, ok := strings.CutSuffix(mem, " MiB")
	if !ok {
		return job.Process{}, false
	}
	if n, known := number(size).Get(); known {
		p.Mem = bytesOf(n, mib)
	}
	return p, true
}

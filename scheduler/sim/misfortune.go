package sim

import (
	"context"
	"slices"
)

// lockAndLoad lets pass what a node needs before its work: holding Python's lock,
// and the first sampler's load of its model.
func (r *run) lockAndLoad(ctx context.Context, t task) error {
	f := r.p.srv.faults.get()
	if f.HoldLockS > 0 && t.d > 0 {
		r.p.holdLock(seconds(f.HoldLockS))
		if err := r.p.srv.pace.wait(ctx, seconds(f.HoldLockS)); err != nil {
			return err
		}
	}
	if t.steps == 0 || r.p.warm {
		return nil
	}
	r.p.warm = true
	return r.pass(ctx, task{what: useLoad}, seconds(f.ColdLoadS))
}

// goesWrong lets faults of a class have their way with a node that has done its
// work, and tells whether the prompt ended by it.
func (r *run) goesWrong(id, class string) bool {
	faults := &r.p.srv.faults
	f := faults.get()
	switch {
	case slices.Contains(f.Fail, class):
		r.failed(id, "RuntimeError", f.FailText)
	case slices.Contains(f.FailedAsSuccess, class):
		r.failed(id, "graphlib.CycleError", "Dependency cycle detected")
		r.hidden = true
	default:
		if slices.Contains(f.Blocked, class) {
			r.tell("execution_error", obj("prompt_id", r.it.id, "node_id", id, "node_type", class,
				"executed", strList(r.executed), "exception_message", "Execution Blocked: nothing to do here",
				"exception_type", "ExecutionBlocked", "traceback", list(), "current_inputs", list(), "current_outputs", list()))
		}
		return false
	}
	return true
}

func memoryStep(f Faults, steps int) int {
	if f.OutOfMemoryStep > 0 {
		return f.OutOfMemoryStep
	}
	return steps
}

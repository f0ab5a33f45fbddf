package job

// Conditions are those under which a run went, as far as they were seen: what one
// looks at when the same job takes longer than it did in May. Texts are "" and
// figures unknown where nobody told.
type Conditions struct {
	ComfyUI string `json:"comfyui,omitempty"` // the server's version
	Torch   string `json:"torch,omitempty"`
	Driver  string `json:"driver,omitempty"` // the GPU's
	// LimitW is the power limit in force, and the others medians over the run.
	LimitW  Maybe[float64] `json:"limit_w,omitzero"`
	UtilPct Maybe[float64] `json:"util_pct,omitzero"`
	PowerW  Maybe[float64] `json:"power_w,omitzero"`
	TempC   Maybe[float64] `json:"temp_c,omitzero"`
	// Course is the run's readings, thinned.
	Course Course `json:"course,omitzero"`
}

// Course is a thinned series of readings: figure i is as of (i+1) times EveryS
// after the run's start, and -1 where it was not known.
type Course struct {
	EveryS  float64 `json:"every_s,omitempty"`
	UtilPct []int   `json:"util_pct,omitempty"`
	PowerW  []int   `json:"power_w,omitempty"`
	TempC   []int   `json:"temp_c,omitempty"`
	MemMiB  []int   `json:"mem_mib,omitempty"`
}

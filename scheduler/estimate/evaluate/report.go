package evaluate

// Report is what an evaluation found. Shares are in percent; what was never
// asked is 0.
type Report struct {
	N int `json:"n"` // runs that were predicted and ended by themselves, unslowed
	Accuracy
	Coverage80 float64 `json:"coverage80_pct"`
	Width80    float64 `json:"width80_pct"` // median, of the middle
	Coverage90 float64 `json:"coverage90_pct"`
	Width90    float64 `json:"width90_pct"`
	// CoverageFew and CoverageMany are of the 80 % range with fewer than nine
	// past runs, and with nine or more.
	CoverageFew  float64 `json:"coverage80_below_9_pct"`
	CoverageMany float64 `json:"coverage80_from_9_pct"`
	// Conditional is by the fraction of the middle that a run had reached.
	Conditional map[string]Conditional `json:"conditional"`
	NoticePct   float64                `json:"notice_pct"`
	// NoticeNominal is what the notice would be if nothing ever changed: the mean
	// of 1/(n+1).
	NoticeNominal float64 `json:"notice_nominal_pct"`
	AlarmPct      float64 `json:"alarm_pct"`
	LimitPct      float64 `json:"limit_pct"` // runs longer than their default limit
	// Caught are the shares that the alarm would catch if the runs were slowed so
	// many times; Noticed those that the notice would.
	Caught    map[string]float64  `json:"caught"`
	Noticed   map[string]float64  `json:"noticed"`
	Revisions int                 `json:"revisions"`
	PerRule   map[string]Accuracy `json:"per_rule"`
}

// Conditional is how well the end was told of runs that had reached a fraction
// of their middle.
type Conditional struct {
	N        int     `json:"n"`
	Error    float64 `json:"error"` // median of |ln(told / took)|
	Coverage float64 `json:"coverage80_pct"`
	Given    float64 `json:"range_given_pct"`
}

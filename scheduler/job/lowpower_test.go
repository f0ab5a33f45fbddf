package job

import "testing"

// TestLowPowerIsNotAJobFlatOut holds the rule to cards whose state is known from
// captures and reports.
func TestLowPowerIsNotAJobFlatOut(t *testing.T) {
	for _, c := range []struct {
		name               string
		util, power, limit float64
		want               bool
	}{
		{"RTX 5060 Ti, full memory, job 17 times slower", 100, 43.1, 180, true},
		{"V100 whose kernel only waits", 100, 66, 300, true},
		{"Titan X with a frozen job", 100, 28, 250, true},
		{"MI250X at a quarter of its limit", 100, 144, 560, true},
		{"H200 under gpu_burn", 100, 627.4, 700, false},
		{"RTX 5090 with a language model", 98, 490, 575, false},
		{"RTX 4090 with a language model in WSL", 97, 301, 450, false},
		{"GTX 1070 above its limit", 100, 101, 100, false},
		{"2080 SUPER with two video encodes", 8, 111, 250, false},
		{"A10 that holds a model and is idle", 0, 59, 150, false},
		{"idle desktop", 1, 11, 180, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var recent []Reading
			for range 5 {
				recent = append(recent, Reading{Util: Known(c.util), Power: Known(c.power), Limit: Known(c.limit)})
			}
			if got := LowPower(recent); got != c.want {
				t.Errorf("LowPower is %v at %v %%, %v of %v W", got, c.util, c.power, c.limit)
			}
		})
	}
}

func TestLowPowerNeedsFigures(t *testing.T) {
	low := Reading{Util: Known(100.0), Power: Known(43.0), Limit: Known(180.0)}
	high := Reading{Util: Known(100.0), Power: Known(150.0), Limit: Known(180.0)}
	noLimit := Reading{Util: Known(100.0), Power: Known(43.0)}
	for _, c := range []struct {
		name   string
		recent []Reading
		want   bool
	}{
		{"nothing", nil, false},
		{"two readings", []Reading{low, low}, false},
		{"three readings", []Reading{low, low, low}, true},
		{"no limit", []Reading{noLimit, noLimit, noLimit}, false},
		{"unknown ones do not count", []Reading{low, noLimit, low, noLimit, low}, true},
		{"one dip of a working card", []Reading{high, high, low, high, high}, false},
		{"one peak of a stalled card", []Reading{low, low, high, low, low}, true},
	} {
		if got := LowPower(c.recent); got != c.want {
			t.Errorf("%s: LowPower is %v", c.name, got)
		}
	}
}

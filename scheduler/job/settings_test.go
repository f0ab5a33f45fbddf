package job

import (
	"testing"
	"time"
)

func TestQuietHoursEnd(t *testing.T) {
	zone := time.FixedZone("CEST", 2*60*60)
	at := func(day, hour, minute int) time.Time { return time.Date(2026, 5, day, hour, minute, 0, 0, zone) }
	for _, c := range []struct {
		name  string
		quiet Quiet
		at    time.Time
		until time.Time // zero: not quiet
	}{
		{"never set", Quiet{}, at(9, 3, 0), time.Time{}},
		{"in the afternoon", Quiet{From: 13 * 60, To: 14*60 + 30}, at(9, 13, 0), at(9, 14, 30)},
		{"after it", Quiet{From: 13 * 60, To: 14*60 + 30}, at(9, 14, 30), time.Time{}},
		{"before midnight", Quiet{From: 22 * 60, To: 7 * 60}, at(9, 23, 59), at(10, 7, 0)},
		{"after midnight", Quiet{From: 22 * 60, To: 7 * 60}, at(10, 0, 0), at(10, 7, 0)},
		{"in the morning", Quiet{From: 22 * 60, To: 7 * 60}, at(10, 7, 0), time.Time{}},
		{"in the evening", Quiet{From: 22 * 60, To: 7 * 60}, at(10, 21, 59), time.Time{}},
	} {
		until, quiet := c.quiet.Until(c.at)
		if quiet == c.until.IsZero() || !until.Equal(c.until) {
			t.Errorf("%s: quiet %v until %v, want until %v", c.name, quiet, until, c.until)
		}
	}
}

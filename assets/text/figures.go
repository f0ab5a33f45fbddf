package text

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// units are a language's words for figures.
type units struct {
	day, hour, minute, second string
	decimal                   string // the sign between 4 and 7 in 4.7
}

// Duration writes a measured time: "45 s", "1 min 50 s", "1 h 4 min". Seconds go
// away above an hour, tenths above ten seconds.
func (l Language) Duration(seconds float64) string {
	u := l.table().units
	switch s := cleanSeconds(seconds); {
	case s < 9.95:
		return l.tenths(s) + " " + u.second
	case s < 3599.5:
		return u.split(math.Round(s), 60, u.minute, u.second)
	case s < 86370:
		return u.split(math.Round(s/60), 60, u.hour, u.minute)
	default:
		return u.split(math.Round(s/3600), 24, u.day, u.hour)
	}
}

// Usual writes a typical time, such as a median, as one figure: "45 s",
// "4.7 min", "1.3 h".
func (l Language) Usual(seconds float64) string {
	u := l.table().units
	switch s := cleanSeconds(seconds); {
	case s < 9.95:
		return l.tenths(s) + " " + u.second
	case s < 59.5:
		return strconv.Itoa(int(math.Round(s))) + " " + u.second
	case s < 3597:
		return l.tenths(s/60) + " " + u.minute
	case s < 172800:
		return l.tenths(s/3600) + " " + u.hour
	default:
		return l.tenths(s/86400) + " " + u.day
	}
}

// Range writes a range of typical times: "4.5 to 4.9 min", or one figure when
// both ends read the same.
func (l Language) rangeOf(low, high float64) string {
	const to = " to "
	a, b := l.Usual(low), l.Usual(high)
	if a == b {
		return a
	}
	figure, unit, _ := strings.Cut(a, " ")
	if strings.HasSuffix(b, " "+unit) {
		return figure + to + b
	}
	return a + to + b
}

// About writes an estimated time: rounded to steps that are never finer than a
// quarter of its spread, nor than makes sense for its length.
func (l Language) About(seconds, spread float64) string {
	s := cleanSeconds(seconds)
	step := 5.0
	switch {
	case s >= 3600:
		step = 300
	case s >= 600:
		step = 60
	case s >= 60:
		step = 10
	}
	for _, wider := range [...]float64{10, 30, 60, 300, 600, 1800} {
		if wider > step && wider <= spread/4 && wider <= s/2 {
			step = wider
		}
	}
	return l.Duration(max(math.Round(s/step)*step, step))
}

// times writes how many times one time is another: "6.2". Nothing usual is
// known of a time of 0.
func (l Language) times(seconds, usual float64) string {
	s, u := cleanSeconds(seconds), cleanSeconds(usual)
	if u == 0 {
		return "many"
	}
	return l.tenths(s / u)
}

// Bytes writes a size in the units that GPU tools count in: "15.2 GiB".
func (l Language) Bytes(n int64) string {
	switch v := float64(max(n, 0)); {
	case v >= 1023.5*(1<<20):
		return l.tenths(v/(1<<30)) + " GiB"
	case v >= 1023.5*(1<<10):
		return strconv.Itoa(int(math.Round(v/(1<<20)))) + " MiB"
	case v >= 1024:
		return strconv.Itoa(int(math.Round(v/(1<<10)))) + " KiB"
	default:
		return strconv.Itoa(int(v)) + " B"
	}
}

func (l Language) tenths(v float64) string {
	s := strconv.FormatFloat(math.Round(v*10)/10, 'f', 1, 64)
	s = strings.TrimSuffix(s, ".0")
	return strings.Replace(s, ".", l.table().units.decimal, 1)
}

// split writes a count of small units as large and small ones, leaving out
// whichever is none.
func (u units) split(small float64, size int, large, unit string) string {
	n := int(small)
	switch big, rest := n/size, n%size; {
	case big == 0:
		return fmt.Sprintf("%d %s", rest, unit)
	case rest == 0:
		return fmt.Sprintf("%d %s", big, large)
	default:
		return fmt.Sprintf("%d %s %d %s", big, large, rest, unit)
	}
}

// cleanSeconds bounds what an outside figure may do to a sentence.
func cleanSeconds(s float64) float64 {
	if math.IsNaN(s) || s < 0 {
		return 0
	}
	return min(s, 1e9)
}

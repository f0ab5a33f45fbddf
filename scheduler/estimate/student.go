package estimate

import "math"

// normalAt is the standard normal quantile of q, 0 < q < 1.
func normalAt(q float64) float64 { return math.Sqrt2 * math.Erfinv(2*q-1) }

// studentAt is Student's quantile of q with df degrees of freedom, by the
// expansion around the normal one (Abramowitz and Stegun, 26.7.5). With four
// degrees of freedom, the fewest used here, it is 4 % short at .999.
func studentAt(q, df float64) float64 {
	z := normalAt(q)
	z2 := z * z
	t := z
	t += z * (z2 + 1) / (4 * df)
	t += z * ((5*z2+16)*z2 + 3) / (96 * df * df)
	t += z * (((3*z2+19)*z2+17)*z2 - 15) / (384 * df * df * df)
	return t
}

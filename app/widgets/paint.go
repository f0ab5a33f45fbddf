package widgets

import (
	"image"
	"image/color"
	"math"
)

// What the toolkit has no shape for is painted here, into pictures of device
// pixels. These are pure functions of their arguments.

// blend lays a colour over a pixel, covering this much of it.
func blend(img *image.RGBA, x, y int, c color.Color, cover float64) {
	if cover <= 0 || !(image.Point{X: x, Y: y}).In(img.Rect) {
		return
	}
	r, g, b, a := c.RGBA()
	k := min(cover, 1)
	rest := 1 - k*float64(a)/0xffff
	i := img.PixOffset(x, y)
	mix := func(old uint8, v uint32) uint8 {
		return uint8(math.Round(float64(old)*rest + k*float64(v)/0x101))
	}
	p := img.Pix[i : i+4 : i+4]
	p[0], p[1], p[2], p[3] = mix(p[0], r), mix(p[1], g), mix(p[2], b), mix(p[3], a)
}

// roundCover tells how much of a pixel lies in a rounded rectangle that fills
// w by h.
func roundCover(x, y, w, h int, radius float64) float64 {
	if radius <= 0 {
		return 1
	}
	px, py := float64(x)+0.5, float64(y)+0.5
	cx := min(max(px, radius), float64(w)-radius)
	cy := min(max(py, radius), float64(h)-radius)
	return min(max(radius-math.Hypot(px-cx, py-cy)+0.5, 0), 1)
}

// slant is how far the stripes of an estimate lean: pixels to the right for one up.
const slant = -0.36

// stripes paints the fill of an estimate: slanted stripes over the first filled
// pixels of a bar of w by h with rounded corners. period is the width of a pair
// of stripes.
func stripes(w, h int, filled, period, radius float64, a, b color.Color) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range min(w, int(math.Ceil(filled))) {
			cover := roundCover(x, y, w, h, radius) * min(filled-float64(x), 1)
			// How far this pixel is from the edge between two stripes.
			u := math.Mod(float64(x)+slant*float64(h-y)+float64(h), period)
			edge := min(u, period/2-u)
			if u > period/2 {
				edge = -min(u-period/2, period-u)
			}
			blend(img, x, y, a, cover)
			blend(img, x, y, b, cover*min(max(edge+0.5, 0), 1))
		}
	}
	return img
}

// polylines paints lines through points, in pixels.
func polylines(w, h int, pieces [][][2]float64, width float64, c color.Color) *image.RGBA {
	cover := make([]float64, w*h)
	for _, points := range pieces {
		for i := 1; i < len(points); i++ {
			segment(cover, w, h, points[i-1], points[i], width/2)
		}
	}
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i, k := range cover {
		if k > 0 {
			blend(img, i%w, i/w, c, k)
		}
	}
	return img
}

// segment notes how much of each pixel a piece of a line covers.
func segment(cover []float64, w, h int, a, b [2]float64, half float64) {
	left, right := int(min(a[0], b[0])-half-1), int(max(a[0], b[0])+half+1)
	top, bottom := int(min(a[1], b[1])-half-1), int(max(a[1], b[1])+half+1)
	dx, dy := b[0]-a[0], b[1]-a[1]
	long := dx*dx + dy*dy
	for y := max(top, 0); y <= min(bottom, h-1); y++ {
		for x := max(left, 0); x <= min(right, w-1); x++ {
			px, py := float64(x)+0.5, float64(y)+0.5
			t := 0.0
			if long > 0 {
				t = min(max(((px-a[0])*dx+(py-a[1])*dy)/long, 0), 1)
			}
			d := math.Hypot(px-a[0]-t*dx, py-a[1]-t*dy)
			i := y*w + x
			cover[i] = max(cover[i], min(max(half-d+0.5, 0), 1))
		}
	}
}

// disc paints a dot: solid, or a ring when hollow.
func disc(img *image.RGBA, cx, cy, radius float64, hollow bool, c color.Color) {
	for y := int(cy - radius - 1); y <= int(cy+radius+1); y++ {
		for x := int(cx - radius - 1); x <= int(cx+radius+1); x++ {
			d := math.Hypot(float64(x)+0.5-cx, float64(y)+0.5-cy)
			k := min(max(radius-d+0.5, 0), 1)
			if hollow {
				k = min(k, min(max(d-radius*0.55+0.5, 0), 1))
			}
			blend(img, x, y, c, k)
		}
	}
}

// diagonal paints a gradient from the top left to the bottom right with rounded
// corners, where a picture is not there yet.
func diagonal(w, h int, radius float64, from, to color.Color) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			t := (float64(x)/float64(max(w, 1)) + float64(y)/float64(max(h, 1))) / 2
			k := roundCover(x, y, w, h, radius)
			blend(img, x, y, from, k)
			blend(img, x, y, to, k*min(t*1.4, 1))
		}
	}
	return img
}

// triangle paints a filled triangle that points to the right, or down.
func triangle(w, h int, down bool, c color.Color) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	long, across := float64(w), float64(h)
	if down {
		long, across = across, long
	}
	for y := range h {
		for x := range w {
			u, v := float64(x)+0.5, float64(y)+0.5
			if down {
				u, v = v, u
			}
			// From its base at 0.15 to its tip at 0.85 of the way.
			along := (u/long - 0.15) / 0.7
			room := (1 - along) * across / 2
			cover := min(room-math.Abs(v-across/2)+0.5, u-0.15*long+0.5, 0.85*long-u+0.5)
			blend(img, x, y, c, min(max(cover, 0), 1))
		}
	}
	return img
}

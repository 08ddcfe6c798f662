package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// svg builds one picture. Colors come from classes, so that the page's style
// decides on them, in light and in dark.
type svg struct {
	b             strings.Builder
	width, height float64
}

// newSVG begins a picture of width x height units, which scales with the page;
// label says what is seen to those who do not see it.
func newSVG(width, height float64, label string) *svg {
	s := &svg{width: width, height: height}
	fmt.Fprintf(&s.b, `<svg viewBox="0 0 %s %s" role="img" aria-label="%s">`, coord(width), coord(height), html.EscapeString(label))
	return s
}

func (s *svg) html() template.HTML {
	return template.HTML(s.b.String() + "</svg>") // all texts were escaped
}

// coord writes a coordinate with at most two decimals.
func coord(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		v = 0
	}
	return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
}

func (s *svg) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(&s.b, `<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`, class, coord(x1), coord(y1), coord(x2), coord(y2))
}

func (s *svg) rect(class string, x, y, w, h float64, title string) {
	fmt.Fprintf(&s.b, `<rect class="%s" x="%s" y="%s" width="%s" height="%s">%s</rect>`,
		class, coord(x), coord(y), coord(max(w, 0)), coord(max(h, 0)), titled(title))
}

func (s *svg) text(class string, x, y float64, anchor, text string) {
	fmt.Fprintf(&s.b, `<text class="%s" x="%s" y="%s" text-anchor="%s">%s</text>`, class, coord(x), coord(y), anchor, html.EscapeString(text))
}

func (s *svg) circle(class string, x, y, r float64, title string) {
	fmt.Fprintf(&s.b, `<circle class="%s" cx="%s" cy="%s" r="%s">%s</circle>`, class, coord(x), coord(y), coord(r), titled(title))
}

// diamond and cross are told from circles without color.
func (s *svg) diamond(class string, x, y, r float64, title string) {
	fmt.Fprintf(&s.b, `<path class="%s" d="M%s %sl%s %sl%s %sl%s %sz">%s</path>`, class,
		coord(x), coord(y-r), coord(r), coord(r), coord(-r), coord(r), coord(-r), coord(-r), titled(title))
}

func (s *svg) cross(class string, x, y, r float64, title string) {
	fmt.Fprintf(&s.b, `<path class="%s" d="M%s %sl%s %sm0 %sl%s %s">%s</path>`, class,
		coord(x-r), coord(y-r), coord(2*r), coord(2*r), coord(-2*r), coord(-2*r), coord(2*r), titled(title))
}

// path draws through points.
func (s *svg) path(class string, points [][2]float64) {
	var d strings.Builder
	for i, p := range points {
		d.WriteString([]string{"M", "L"}[min(i, 1)] + coord(p[0]) + " " + coord(p[1]))
	}
	fmt.Fprintf(&s.b, `<path class="%s" d="%s"/>`, class, d.String())
}

func titled(title string) string {
	if title == "" {
		return ""
	}
	return "<title>" + html.EscapeString(title) + "</title>"
}

// scale maps values to coordinates.
type scale struct{ lo, hi, from, to float64 }

func (s scale) at(v float64) float64 {
	if s.hi == s.lo {
		return (s.from + s.to) / 2
	}
	return s.from + (v-s.lo)/(s.hi-s.lo)*(s.to-s.from)
}

// niceTicks are round values between lo and hi, about four of them.
func niceTicks(lo, hi float64) []float64 {
	if !(hi > lo) {
		return nil
	}
	rough := (hi - lo) / 4
	step := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, m := range []float64{1, 2, 5, 10} {
		if step*m >= rough {
			step *= m
			break
		}
	}
	var out []float64
	for i := math.Ceil(lo / step); i*step <= hi*(1+1e-12); i++ {
		out = append(out, i*step)
	}
	return out
}

package compare

import (
	"cmp"
	"fmt"
	"strings"
)

// Axis is an option with the values that a sweep gives it.
type Axis struct {
	Option string
	Values []string
}

// Sweep makes cases of all combinations: each given case with each value of
// the first axis, with each of the second, … Without cases, it starts from
// write's defaults. Only axes of several values are in the names.
func Sweep(cases []Case, axes []Axis) ([]Case, error) {
	if len(cases) == 0 {
		cases = []Case{{}}
	}
	for _, a := range axes {
		if len(a.Values) == 0 {
			return nil, fmt.Errorf("option %s has no value", a.Option)
		}
		var next []Case
		for i := range cases {
			more, err := cases[i].along(a)
			if err != nil {
				return nil, err
			}
			next = append(next, more...)
		}
		cases = next
	}
	for i := range cases {
		if cases[i].Name == "" || strings.HasPrefix(cases[i].Name, ",") {
			cases[i].Name = cases[i].set.short() + cases[i].Name
		}
	}
	return cases, nil
}

// along is the case with each value of an axis.
func (c *Case) along(a Axis) ([]Case, error) {
	key := canonicalOption(a.Option)
	if _, given := c.set[key]; given {
		return nil, fmt.Errorf("case %s sets %s already", cmp.Or(c.Name, c.set.short()), key)
	}
	var out []Case
	for _, v := range a.Values {
		one := options{}
		if err := one.add(key, v); err != nil {
			return nil, err
		}
		name := c.Name
		if len(a.Values) > 1 {
			name += one.suffix()
		}
		out = append(out, Case{name, c.set.with(one)})
	}
	return out, nil
}

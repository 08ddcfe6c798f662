package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shufflebench/shufflebench/internal/report"
)

// arguments are flags of write as options, in their order.
func arguments(words []string) ([]report.Option, error) {
	var out []report.Option
	for i := 0; i < len(words); i++ {
		name, isFlag := strings.CutPrefix(words[i], "--")
		if !isFlag || name == "" {
			return nil, fmt.Errorf("argument %q is no flag, such as --codec=zstd", words[i])
		}
		name, value, has := strings.Cut(name, "=")
		if !has {
			value = "true"
			if i+1 < len(words) && !strings.HasPrefix(words[i+1], "--") {
				i++
				value = words[i]
			}
		}
		if slices.Contains(ofDriver, name) || name == optPartitions || name == optTasks {
			return nil, fmt.Errorf("argument --%s belongs to the comparison or the case", name)
		}
		out = append(out, report.Option{Name: name, Value: value})
	}
	return out, nil
}

func flagWords(opts []report.Option) []string {
	var out []string
	for _, o := range opts {
		out = append(out, "--"+o.Name+"="+o.Value)
	}
	return out
}

// effective is an option of a run: as the arguments set it, which come last,
// or the case, or write's default.
func (v *variant) effective(c *Case, key string) string {
	for _, o := range slices.Backward(v.args) {
		if o.Name == key {
			return o.Value
		}
	}
	s, _ := c.get(key)
	return s
}

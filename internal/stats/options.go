package stats

import (
	"errors"
	"fmt"
)

// Options say what counts as a difference. The zero value of a field means
// its default; EnsureDefaults fills them in.
type Options struct {
	// Threshold is the smallest change worth a verdict, as a fraction: with
	// 0.03, the default, ratios from 1/1.03 to 1.03 are no difference.
	Threshold float64 `json:"threshold"`
	// Confidence of the interval; default 0.95.
	Confidence float64 `json:"confidence"`
	// HigherIsBetter is for throughput; time and memory are lower-is-better.
	HigherIsBetter bool `json:"higher_is_better,omitempty"`
	// MinPairs is the fewest complete pairs that get a verdict; default 6,
	// below which plain sign flips cannot reach 95 % (2/2^6 = 0.031).
	MinPairs int `json:"min_pairs"`
	// Comparisons is how many comparisons share the confidence. The default 1
	// judges each on its own; with m, each is judged at 1-(1-Confidence)/m
	// (Bonferroni), so that all m intervals hold at once.
	Comparisons int `json:"comparisons"`
	// MaxFurther caps the advice on further rounds; default 100.
	MaxFurther int `json:"max_further"`
	// UnpairedWiden multiplies Threshold in CompareUnpaired; default 2.
	UnpairedWiden float64 `json:"unpaired_widen"`
}

// Defaults of Options.
const (
	DefaultThreshold  = 0.03
	DefaultConfidence = 0.95
	DefaultMinPairs   = 6
)

// EnsureDefaults fills every field that holds its zero value.
func (o *Options) EnsureDefaults() {
	setDefault(&o.Threshold, DefaultThreshold)
	setDefault(&o.Confidence, DefaultConfidence)
	setDefault(&o.MinPairs, DefaultMinPairs)
	setDefault(&o.Comparisons, 1)
	setDefault(&o.MaxFurther, 100)
	setDefault(&o.UnpairedWiden, 2)
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Validate names every contradiction in options with defaults filled in.
func (o *Options) Validate() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	check(o.Threshold > 0 && o.Threshold <= 10, "threshold: %v is not above 0 and at most 10 (1000%%)", o.Threshold)
	check(o.Confidence >= 0.5 && o.Confidence < 1, "confidence: %v is not in [0.5, 1)", o.Confidence)
	check(o.MinPairs >= DefaultMinPairs, "minimum of pairs: %d is below %d", o.MinPairs, DefaultMinPairs)
	check(o.Comparisons >= 1, "comparisons: %d is below 1", o.Comparisons)
	check(o.MaxFurther >= 1 && o.MaxFurther <= 1e6, "cap on further rounds: %d is not between 1 and 1000000", o.MaxFurther)
	check(o.UnpairedWiden >= 1 && o.UnpairedWiden <= 10, "widening of the unpaired threshold: %v is not in [1, 10]", o.UnpairedWiden)
	return errors.Join(errs...)
}

// ready is a checked copy with the defaults filled in.
func (o Options) ready() (Options, error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return o, fmt.Errorf("statistics options: %w", err)
	}
	return o, nil
}

// alpha is what each comparison's interval may miss, both sides together.
func (o *Options) alpha() float64 { return (1 - o.Confidence) / float64(o.Comparisons) }

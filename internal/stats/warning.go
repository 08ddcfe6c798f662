package stats

import "fmt"

// Warning is something a reader of a result should know. It never prevents a
// verdict; faces print the Text and may group by Code.
type Warning struct {
	Code WarningCode `json:"code"`
	Text string      `json:"text"`
}

// String is the text.
func (w Warning) String() string { return w.Text }

// WarningCode is the kind of a warning.
type WarningCode string

// The kinds.
const (
	WarnLeftOut     WarningCode = "left_out"     // pairs without both values
	WarnOrder       WarningCode = "order"        // the order was hardly ever flipped
	WarnSlot        WarningCode = "slot"         // going first costs or gains more than the threshold
	WarnDrift       WarningCode = "drift"        // both sides moved together over the rounds
	WarnOutliers    WarningCode = "outliers"     // samples far from the others, kept
	WarnGauge       WarningCode = "gauge"        // the noise gauge varied, or moves with the samples
	WarnAnotherTime WarningCode = "another_time" // the sides were not measured side by side
	WarnVaries      WarningCode = "varies"       // an exact value is not the same in every run
	WarnLoneCases   WarningCode = "lone_cases"   // cases that only one side has
	WarnTest        WarningCode = "test"         // the test itself has something to say
)

func warn(code WarningCode, format string, args ...any) Warning {
	return Warning{Code: code, Text: fmt.Sprintf(format, args...)}
}

// percent prints a fraction as a change: 0.031 is "+3.1%".
func percent(fraction float64) string { return fmt.Sprintf("%+.1f%%", 100*fraction) }

// share prints a fraction without a sign and without needless zeros: "3%".
func share(fraction float64) string { return fmt.Sprintf("%.3g%%", 100*fraction) }

// plural is "1 pair", "2 pairs".
func plural(n int, noun string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

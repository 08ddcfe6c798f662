package stats_test

import (
	"fmt"

	"github.com/shufflebench/shufflebench/internal/stats"
)

// Ten rounds, seconds a run; base ran first in the odd ones, and whoever runs
// first is a little slower.
func ExampleComparePaired() {
	base := []float64{10.30, 10.00, 10.31, 10.02, 10.29, 9.99, 10.32, 10.01, 10.28, 10.00}
	head := []float64{10.81, 11.12, 10.79, 11.13, 10.80, 11.10, 10.83, 11.14, 10.78, 11.12}
	var pairs []stats.Pair
	for i := range base {
		pairs = append(pairs, stats.Pair{
			Round:     i + 1,
			BaseFirst: i%2 == 0,
			Base:      stats.Run{Value: base[i]},
			Head:      stats.Run{Value: head[i]},
		})
	}
	c, err := stats.ComparePaired(pairs, stats.Options{Threshold: 0.03})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Explain())
	// Output:
	// worse: ratio 1.080, 95% interval 1.079 to 1.081, beyond ±3%
}

func ExampleCompareExact() {
	fmt.Println(stats.CompareExact([]int{88, 88, 88}, []int{88, 88}))
	fmt.Println(stats.CompareExact([]string{"ab12"}, []string{"cd34"}))
	fmt.Println(stats.CompareExact([]int{88, 88, 89}, []int{88}))
	// Output:
	// equal: 88
	// differs: base ab12, head cd34
	// varies within base: base 88 (2 runs), 89 (1 run), head 88
}

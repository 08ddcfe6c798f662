//go:build unix && !linux

package metrics

func peakRSS() int64 { return rusageMaxRSS() }

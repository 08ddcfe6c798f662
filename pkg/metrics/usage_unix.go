//go:build unix

package metrics

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

func cpuTimes() (user, system time.Duration) {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0, 0
	}
	return time.Duration(u.Utime.Nano()), time.Duration(u.Stime.Nano())
}

// rusageMaxRSS is ru_maxrss in bytes; the unit differs between systems.
func rusageMaxRSS() int64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(u.Maxrss) //nolint:unconvert // 32 bits wide on some systems
	}
	return int64(u.Maxrss) << 10 //nolint:unconvert // 32 bits wide on some systems
}

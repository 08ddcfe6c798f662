//go:build !unix

package metrics

import (
	"os"
	"time"

	"github.com/shirou/gopsutil/v4/process"
)

// cpuTimes asks gopsutil where there is no getrusage.
func cpuTimes() (user, system time.Duration) {
	p, err := process.NewProcess(int32(os.Getpid()))
	if err != nil {
		return 0, 0
	}
	t, err := p.Times()
	if err != nil {
		return 0, 0
	}
	return time.Duration(t.User * float64(time.Second)), time.Duration(t.System * float64(time.Second))
}

// peakRSS is unknown here: no portable call tells a process's own peak.
func peakRSS() int64 { return 0 }

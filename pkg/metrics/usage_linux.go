package metrics

import "github.com/prometheus/procfs"

// peakRSS is VmHWM. (ru_maxrss of getrusage starts from the parent's peak,
// since it survives exec, so it lies when the parent is big.)
func peakRSS() int64 {
	self, err := procfs.Self()
	if err != nil {
		return rusageMaxRSS()
	}
	status, err := self.NewStatus()
	if err != nil || status.VmHWM == 0 {
		return rusageMaxRSS()
	}
	return int64(status.VmHWM)
}

//go:build unix && !linux

package compare

import (
	"errors"
	"runtime"
	"syscall"
)

func slim() {}

func ownPeak() int64 { return 0 }

func samplePeak(int, int64, <-chan struct{}) int64 { return 0 }

func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func pin(cpus []int) error {
	if len(cpus) > 0 {
		return errors.New("not possible on " + runtime.GOOS)
	}
	return nil
}

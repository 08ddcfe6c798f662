//go:build !unix

package compare

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

func slim() {}

func ownPeak() int64 { return 0 }

func samplePeak(int, int64, <-chan struct{}) int64 { return 0 }

func childAttr() *syscall.SysProcAttr { return nil }

func ownGroup() *syscall.SysProcAttr { return nil }

func pin(cpus []int) error {
	if len(cpus) > 0 {
		return errors.New("not possible on " + runtime.GOOS)
	}
	return nil
}

// signalGroup can only end the process itself.
func signalGroup(pid int, _ bool) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

func waitedPeak(*os.ProcessState) int64 { return 0 }

func ended(st *os.ProcessState) (code int, signal string) { return st.ExitCode(), "" }

//go:build unix

package compare

import (
	"os"
	"runtime"
	"syscall"
)

// ownGroup keeps the terminal's Ctrl-C for the driver alone.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// signalGroup tells all processes of a command to end, or ends them.
func signalGroup(pid int, force bool) {
	sig := syscall.SIGTERM
	if force {
		sig = syscall.SIGKILL
	}
	_ = syscall.Kill(-pid, sig)
}

// waitedPeak is the largest peak of the command's process and of those that it
// waited for, in bytes.
func waitedPeak(st *os.ProcessState) int64 {
	ru, ok := st.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	peak := int64(ru.Maxrss) //nolint:unconvert // it has 32 bits on some systems
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return peak
	}
	return peak << 10
}

// ended gives exit code or signal.
func ended(st *os.ProcessState) (code int, signal string) {
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return -1, ws.Signal().String()
	}
	return st.ExitCode(), ""
}

package bench

import (
	"os"
	"runtime/debug"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// trim gives back what the start of the program made resident and a run may
// never use: the initialization of packages touches some 20 MiB of the program
// file, which would count in the peak of every run. Read-only pages of a file
// can be dropped at any time; what is used again is mapped again from the page
// cache, and counts. Where it cannot be done, nothing is lost but the figure.
func trim() {
	debug.FreeOSMemory()
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	self, err := procfs.Self()
	if err != nil {
		return
	}
	maps, err := self.ProcMaps()
	if err != nil {
		return
	}
	for _, m := range maps {
		if m.Pathname == exe && m.Perms.Private && m.Perms.Read && !m.Perms.Write {
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, m.StartAddr, m.EndAddr-m.StartAddr, unix.MADV_DONTNEED)
		}
	}
}

package compare

import (
	"bytes"
	"os"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// sampleEvery is how often the peak of a small command is read.
const sampleEvery = 5 * time.Millisecond

// slim gives back the memory that this process can do without, and forgets its
// peak. What a child's accounts inherit cannot be less than what remains.
//
// Most of it are pages of the program file, which come back by themselves when
// they are touched.
func slim() {
	debug.FreeOSMemory()
	if smaps, err := os.ReadFile("/proc/self/smaps"); err == nil {
		dropFilePages(smaps)
	}
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // resets VmHWM
}

func ownPeak() int64 { return hwm("/proc/self/status") }

// dropFilePages drops the pages of all mappings of files that cannot be
// written to and hold nothing but the file's content (pages that a dynamic
// linker has changed, for one, would be lost). In smaps a mapping begins with
//
//	00400000-01000000 r-xp 00000000 08:01 1234       /usr/bin/program
//
// and has a line "Anonymous:" of changed pages among those that follow.
func dropFilePages(smaps []byte) {
	var start, end uint64
	for line := range bytes.Lines(smaps) {
		f := bytes.Fields(line)
		switch {
		case len(f) >= 6 && bytes.Contains(f[0], []byte("-")):
			start, end = 0, 0
			if bytes.HasPrefix(f[1], []byte("r-")) && f[5][0] == '/' {
				start, end = interval(f[0])
			}
		case len(f) == 3 && string(f[0]) == "Anonymous:" && string(f[1]) == "0" && start < end:
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(start), uintptr(end-start), unix.MADV_DONTNEED)
		}
	}
}

// interval reads "00400000-01000000", 0 and 0 if it is none.
func interval(text []byte) (start, end uint64) {
	from, to, _ := bytes.Cut(text, []byte("-"))
	start, err1 := strconv.ParseUint(string(from), 16, 64)
	end, err2 := strconv.ParseUint(string(to), 16, 64)
	if err1 != nil || err2 != nil {
		return 0, 0
	}
	return start, end
}

// hwm reads VmHWM in bytes of a status file, 0 if it has none.
func hwm(name string) int64 {
	b, err := os.ReadFile(name)
	if err != nil {
		return 0
	}
	_, rest, ok := bytes.Cut(b, []byte("\nVmHWM:"))
	if !ok {
		return 0
	}
	rest, _, _ = bytes.Cut(rest, []byte(" kB"))
	kib, err := strconv.ParseInt(string(bytes.TrimSpace(rest)), 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}

// samplePeak reads a process's peak now and again, until the process ends or
// its peak is above floor, from where on the kernel's own account is exact.
func samplePeak(pid int, floor int64, done <-chan struct{}) (peak int64) {
	name := "/proc/" + strconv.Itoa(pid) + "/status"
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for {
		if peak = max(peak, hwm(name)); peak > floor {
			return peak
		}
		select {
		case <-done:
			return peak
		case <-tick.C:
		}
	}
}

// childAttr starts a command in a group of its own and ties it to this thread.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// pin ties this thread, and what it starts, to processors.
func pin(cpus []int) error {
	if len(cpus) == 0 {
		return nil
	}
	var set unix.CPUSet
	for _, c := range cpus {
		set.Set(c)
	}
	return unix.SchedSetaffinity(0, &set)
}

package metrics

import (
	"cmp"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/host"
	"github.com/shirou/gopsutil/v4/load"
	"github.com/shirou/gopsutil/v4/mem"
)

// Machine is what a time must be read with. What the system does not tell is
// left zero.
type Machine struct {
	CPU           string  `json:"cpu"`
	CoresPhysical int     `json:"cores_physical"`
	CoresLogical  int     `json:"cores_logical"`
	GOMAXPROCS    int     `json:"gomaxprocs"`
	Memory        uint64  `json:"memory_bytes"`
	OS            string  `json:"os"`
	Kernel        string  `json:"kernel"`
	Arch          string  `json:"arch"`
	Governor      string  `json:"cpu_governor,omitempty"`
	CgroupMemory  uint64  `json:"cgroup_memory_limit_bytes,omitempty"`
	CgroupCPUs    float64 `json:"cgroup_cpu_limit,omitempty"`
	Load1         float64 `json:"load1"`
	PressureCPU   float64 `json:"pressure_cpu_some_avg10,omitempty"` // % of time some task waited for a processor
	PressureIO    float64 `json:"pressure_io_some_avg10,omitempty"`
	OutputFS      string  `json:"output_filesystem,omitempty"`
	OutputDevice  string  `json:"output_device,omitempty"`
	OutputFree    uint64  `json:"output_free_bytes,omitempty"`
	GOGC          string  `json:"gogc,omitempty"`
	GOMEMLIMIT    string  `json:"gomemlimit,omitempty"`
}

// ReadMachine describes this machine and the file system that holds dir, if
// not "".
func ReadMachine(dir string) Machine {
	m := Machine{GOMAXPROCS: runtime.GOMAXPROCS(0), CoresLogical: runtime.NumCPU(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	if infos, err := cpu.Info(); err == nil && len(infos) > 0 {
		m.CPU = strings.TrimSpace(cmp.Or(infos[0].ModelName, infos[0].VendorID))
	}
	if n, err := cpu.Counts(false); err == nil {
		m.CoresPhysical = n
	}
	if v, err := mem.VirtualMemory(); err == nil {
		m.Memory = v.Total
	}
	if info, err := host.Info(); err == nil {
		m.Kernel = strings.TrimSpace(info.Platform + " " + info.PlatformVersion + ", " + info.KernelVersion)
	}
	if l, err := load.Avg(); err == nil {
		m.Load1 = l.Load1
	}
	m.readSystem()
	if dir != "" {
		m.readFileSystem(dir)
	}
	return m
}

// readFileSystem finds the mount with the longest path above dir.
func (m *Machine) readFileSystem(dir string) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return
	}
	if target, err := filepath.EvalSymlinks(dir); err == nil {
		dir = target
	}
	if u, err := disk.Usage(dir); err == nil {
		m.OutputFree = u.Free
	}
	mounts, err := disk.Partitions(true)
	if err != nil {
		return
	}
	best := -1
	for _, p := range mounts {
		if n := len(p.Mountpoint); n >= best && above(p.Mountpoint, dir) {
			best, m.OutputFS, m.OutputDevice = n, p.Fstype, p.Device
		}
	}
}

// above reports whether dir is mount or lies below it.
func above(mount, dir string) bool {
	rel, err := filepath.Rel(mount, dir)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}

package metrics

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
)

// readSystem adds what only Linux tells.
func (m *Machine) readSystem() {
	m.Governor = firstLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
	m.GOGC, m.GOMEMLIMIT = os.Getenv("GOGC"), os.Getenv("GOMEMLIMIT")
	m.CgroupMemory, m.CgroupCPUs = cgroupLimits("/sys/fs/cgroup", cgroupPath())
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return
	}
	m.PressureCPU = pressure(fs, "cpu")
	m.PressureIO = pressure(fs, "io")
}

func pressure(fs procfs.FS, resource string) float64 {
	p, err := fs.PSIStatsForResource(resource)
	if err != nil || p.Some == nil {
		return 0
	}
	return p.Some.Avg10
}

// cgroupPath is this process's place in the unified hierarchy.
func cgroupPath() string {
	self, err := procfs.Self()
	if err != nil {
		return "/"
	}
	groups, err := self.Cgroups()
	if err != nil {
		return "/"
	}
	for _, g := range groups {
		if g.HierarchyID == 0 {
			return g.Path
		}
	}
	return "/"
}

// cgroupLimits gives the smallest limits from path up to the root of a
// version 2 hierarchy; 0 is no limit.
func cgroupLimits(root, path string) (memory uint64, cpus float64) {
	for {
		dir := filepath.Join(root, path)
		if v, err := strconv.ParseUint(firstLine(filepath.Join(dir, "memory.max")), 10, 64); err == nil && (memory == 0 || v < memory) {
			memory = v
		}
		if c := parseCPUMax(firstLine(filepath.Join(dir, "cpu.max"))); c > 0 && (cpus == 0 || c < cpus) {
			cpus = c
		}
		if path == "/" || path == "." || path == "" {
			return memory, cpus
		}
		path = filepath.Dir(path)
	}
}

// parseCPUMax reads "quota period"; 0 is no limit.
func parseCPUMax(s string) float64 {
	quota, period, ok := strings.Cut(s, " ")
	q, err1 := strconv.ParseFloat(quota, 64)
	p, err2 := strconv.ParseFloat(period, 64)
	if !ok || err1 != nil || err2 != nil || p <= 0 {
		return 0
	}
	return q / p
}

func firstLine(name string) string {
	b, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(line)
}

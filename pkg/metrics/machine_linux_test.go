package metrics

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCgroupLimitsAreTheTightestAbove(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("a/memory.max", "536870912")
	write("a/cpu.max", "150000 100000")
	write("a/b/memory.max", "max")
	write("a/b/cpu.max", "max 100000")
	memory, cpus := cgroupLimits(root, "/a/b")
	if memory != 512<<20 || cpus != 1.5 {
		t.Errorf("limits are %d bytes and %v processors, want 512 MiB and 1.5", memory, cpus)
	}
	if memory, cpus = cgroupLimits(root, "/"); memory != 0 || cpus != 0 {
		t.Errorf("limits of the root are %d and %v, want none", memory, cpus)
	}
}

func TestMachineKnowsItself(t *testing.T) {
	m := ReadMachine(t.TempDir())
	if m.CoresLogical < 1 || m.Memory == 0 || m.Kernel == "" || m.OutputFS == "" || m.OutputFree == 0 {
		t.Errorf("got %+v", m)
	}
}

func TestAbove(t *testing.T) {
	for _, c := range []struct {
		mount, dir string
		want       bool
	}{{"/", "/tmp/x", true}, {"/tmp", "/tmp", true}, {"/tmp", "/tmpfs", false}, {"/tmp/x", "/tmp", false}} {
		if got := above(c.mount, c.dir); got != c.want {
			t.Errorf("above(%q, %q) is %v", c.mount, c.dir, got)
		}
	}
}

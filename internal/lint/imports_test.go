package lint

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/shufflebench/shufflebench/"

// mayImport is the picture in docs/architecture.md: what each part of the tree
// may import of the others. A name stands for the package and all below it; a
// part may always import itself. What has no entry may not exist.
var mayImport = map[string][]string{
	// commands
	"cmd": {"pkg", "internal"},

	// drivers
	"internal/bench":         {"pkg/writer", "pkg/reader", "pkg/fixture", "pkg/metrics", "internal/report", "internal/rundir", "internal/shufflefile", "internal/vfs"},
	"internal/compare":       {"pkg/metrics", "internal/report", "internal/rundir", "internal/stats"}, // starts processes, never writes itself
	"internal/report":        {"pkg/metrics", "internal/stats"},
	"internal/rundir":        {"pkg/fixture", "pkg/metrics"},
	"internal/inspect":       {"pkg/reader", "internal/shufflefile", "internal/ipcwire"},
	"internal/sparkdir":      {},
	"internal/compatibility": {"pkg/metrics"}, // of tests alone
	"internal/stats":         {},
	"internal/oracle":        {"pkg/metrics", "internal/shufflefile", "internal/vfs"}, // of tests alone

	// domain: writer and reader never meet but in the format, and validate,
	// which convicts the writer, does not know it
	"pkg/writer":   {"pkg/fixture", "pkg/metrics", "internal/shufflefile", "internal/ipcwire", "internal/vfs"},
	"pkg/validate": {"pkg/reader", "pkg/fixture", "pkg/metrics", "internal/shufflefile", "internal/ipcwire", "internal/vfs"},
	"pkg/reader":   {"pkg/metrics", "internal/shufflefile", "internal/ipcwire", "internal/vfs"},
	"pkg/fixture":  {"pkg/metrics", "internal/vfs"},

	// ground
	"internal/ipcwire":     {"internal/shufflefile"},
	"internal/shufflefile": {},
	"internal/vfs":         {},
	"pkg/metrics":          {},
	"internal/lint":        {},
}

type listed struct {
	ImportPath string
	Imports    []string
}

// packages lists every package of the module.
func packages(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", module+"...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v: %s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// part finds the entry of mayImport that a package belongs to.
func part(path string) (name string, ok bool) {
	rel, ours := strings.CutPrefix(path, module)
	if !ours {
		return "", false
	}
	for p := range mayImport {
		if below(rel, p) {
			return p, true
		}
	}
	return rel, false
}

func below(path, parent string) bool {
	return path == parent || strings.HasPrefix(path, parent+"/")
}

func allowed(from, to string) bool {
	if below(to, from) {
		return true
	}
	for _, a := range mayImport[from] {
		if below(to, a) {
			return true
		}
	}
	return false
}

func TestImportsPointOneWay(t *testing.T) {
	all := packages(t)
	if len(all) < 5 {
		t.Fatalf("only %d packages were listed", len(all))
	}
	for _, p := range all {
		from, known := part(p.ImportPath)
		if !known {
			t.Errorf("%s: the picture of who imports whom has no such part; add it to mayImport and docs/architecture.md", from)
			continue
		}
		for _, imp := range p.Imports {
			to, ours := strings.CutPrefix(imp, module)
			if ours && !allowed(from, to) {
				t.Errorf("%s must not import %s", p.ImportPath, imp)
			}
		}
	}
}

// TestTheRulesHold makes sure that the check above can fail.
func TestTheRulesHold(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"cmd", "pkg/writer", true},
		{"pkg/writer", "pkg/reader", false},
		{"pkg/reader", "pkg/writer", false},
		{"pkg/validate", "pkg/writer", false},
		{"pkg/validate", "pkg/writer/partition", false},
		{"pkg/validate", "pkg/reader", true},
		{"pkg/fixture", "internal/shufflefile", false},
		{"pkg/metrics", "pkg/fixture", false},
		{"pkg/writer", "pkg/writer/merge", true},
		{"internal/vfs", "pkg/metrics", false},
		{"pkg/writer", "cmd/shufflebench", false},
	} {
		if got := allowed(c.from, c.to); got != c.want {
			t.Errorf("%s may import %s: %v, want %v", c.from, c.to, got, c.want)
		}
	}
}

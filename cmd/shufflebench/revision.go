package main

import (
	"os/exec"
	"strings"

	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// Set by the Makefile's -ldflags where the Go tool stamps no revision.
var (
	stampedRevision string
	stampedDirty    string // "true" if the tree had changes
)

const modulePath = "github.com/shufflebench/shufflebench"

// build says what this program is: as stamped, or else, under `go run` in the
// program's own tree, as git has it. A binary that was built without a stamp
// stays unknown: the tree may have moved on since.
func (st *state) build() metrics.Build {
	b := metrics.ReadBuild()
	if b.Revision != "" {
		return b
	}
	if stampedRevision != "" {
		b.Revision, b.Dirty = stampedRevision, stampedDirty == "true"
		return b
	}
	exe, err := st.exe()
	if err != nil || !underGoRun(exe) || command("go", "list", "-m") != modulePath {
		return b
	}
	if b.Revision = command("git", "rev-parse", "HEAD"); b.Revision != "" {
		b.Dirty = command("git", "status", "--porcelain", "--untracked-files=no") != ""
	}
	return b
}

// underGoRun recognizes the directory in which `go run` builds.
func underGoRun(exe string) bool {
	return strings.Contains(exe, "go-build") && strings.Contains(exe, "/exe/")
}

// command gives what a program prints, or "" if it fails.
func command(name string, args ...string) string {
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

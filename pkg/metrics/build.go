package metrics

import (
	"runtime"
	"runtime/debug"
)

// Build says what program this is.
type Build struct {
	Version   string `json:"version"`  // module version, "devel" for a working tree
	Revision  string `json:"revision"` // commit, "" if unknown
	Dirty     bool   `json:"dirty"`    // the tree had changes that the commit lacks
	GoVersion string `json:"go_version"`
	OS        string `json:"os"`
	Arch      string `json:"arch"`
}

// ReadBuild reads what the Go tool stamped into the binary.
func ReadBuild() Build {
	b := Build{Version: "devel", GoVersion: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Dirty = s.Value == "true"
		}
	}
	return b
}

// String is the revision in short, with -dirty, or "unknown".
func (b Build) String() string {
	if b.Revision == "" {
		return "unknown"
	}
	s := b.Revision[:min(12, len(b.Revision))]
	if b.Dirty {
		s += "-dirty"
	}
	return s
}

package vfs

import (
	"os"

	"golang.org/x/sys/unix"
)

// openNameless opens a file that no directory lists, so that no moment exists
// at which a killed process could leave it behind. Where that fails for
// whatever reason, openUnlinked tries again and has the error to report.
func openNameless(dir string) (*os.File, bool) {
	if dir == "" {
		dir = os.TempDir()
	}
	f, err := os.OpenFile(dir, os.O_RDWR|os.O_EXCL|unix.O_TMPFILE, 0o600)
	return f, err == nil
}

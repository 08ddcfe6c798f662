//go:build !linux

package vfs

import "os"

// openNameless needs a system that opens files without a name.
func openNameless(string) (*os.File, bool) { return nil, false }

//go:build unix

package rundir

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// lock holds dir against other runs. The lock is the kernel's, so it ends with
// the process however that ends, and leaves no file.
func lock(dir string) (unlock func() error, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("output directory: %w", err)
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		return nil, errors.Join(fmt.Errorf("output directory %s: another run is writing to it", dir), f.Close())
	case err != nil:
		// Some network file systems have no locks; the run goes on without.
		return func() error { return nil }, f.Close()
	}
	return f.Close, nil
}

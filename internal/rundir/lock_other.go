//go:build !unix

package rundir

// lock does nothing where directories cannot be locked.
func lock(string) (unlock func() error, err error) {
	return func() error { return nil }, nil
}

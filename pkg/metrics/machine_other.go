//go:build !linux

package metrics

import "os"

// readSystem adds what only one system tells; here that is nothing but the
// runtime's own settings.
func (m *Machine) readSystem() {
	m.GOGC, m.GOMEMLIMIT = os.Getenv("GOGC"), os.Getenv("GOMEMLIMIT")
}

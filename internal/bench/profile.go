package bench

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"runtime/trace"
)

// start begins the profiles that are asked for. stop ends them and reports
// every file that could not be written.
func (p Profiles) start() (stop func() error, err error) {
	var stops []func() error
	stop = func() error {
		var errs []error
		for _, f := range stops {
			errs = append(errs, f())
		}
		return errors.Join(errs...)
	}
	begin := func(what, name string, start func(io.Writer) error, end func(io.Writer) error) error {
		if name == "" {
			return nil
		}
		f, err := os.Create(name)
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if err := start(f); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", what, err), f.Close())
		}
		stops = append(stops, func() error {
			if err := errors.Join(end(f), f.Close()); err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}
			return nil
		})
		return nil
	}
	nothing := func(io.Writer) error { return nil }
	err = errors.Join(
		begin("CPU profile", p.CPU, pprof.StartCPUProfile, func(io.Writer) error { pprof.StopCPUProfile(); return nil }),
		begin("trace", p.Trace, trace.Start, func(io.Writer) error { trace.Stop(); return nil }),
		begin("memory profile", p.Mem, nothing, func(w io.Writer) error { return pprof.Lookup("allocs").WriteTo(w, 0) }),
	)
	if err != nil {
		err = errors.Join(err, stop())
	}
	return stop, err
}

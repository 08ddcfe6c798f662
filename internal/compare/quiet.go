package compare

import (
	"context"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/shufflebench/shufflebench/internal/stats"
)

// A machine is quiet enough when the gauge repeats itself.
const (
	quietTakes = 5
	quietSwing = 0.05
	quietPause = time.Second
)

// awaitQuiet waits until the gauge repeats itself, up to the limit that was
// asked for.
func (d *driver) awaitQuiet(ctx context.Context) error {
	if d.cfg.WaitIdle <= 0 {
		return nil
	}
	deadline := d.self.Now().Add(d.cfg.WaitIdle)
	for {
		swing, err := d.gaugeSwing()
		if err != nil || swing <= quietSwing {
			return err
		}
		if !d.self.Now().Before(deadline) {
			d.note("the machine did not become quiet within %v: the noise gauge still varies by %.0f%%", d.cfg.WaitIdle, 100*swing)
			return nil
		}
		d.hooks.step(0, 0, "waiting for a quiet machine")
		if err := pause(ctx, quietPause); err != nil {
			return err
		}
	}
}

// gaugeSwing takes the gauge a few times: the largest over the smallest, less 1.
func (d *driver) gaugeSwing() (float64, error) {
	var least, most time.Duration
	for i := range quietTakes {
		took, err := d.gauge.take()
		if err != nil {
			return 0, err
		}
		if i == 0 {
			least = took
		}
		least, most = min(least, took), max(most, took)
	}
	return most.Seconds()/least.Seconds() - 1, nil
}

// warnOfMachine notes what makes times worth less, or may end the runs.
func (d *driver) warnOfMachine() {
	m := d.res.Machine
	if m.Load1 > 0.3*float64(m.CoresLogical) {
		d.note("the machine was busy before the first run: load %.1f on %d cores", m.Load1, m.CoresLogical)
	}
	if m.Governor != "" && m.Governor != "performance" {
		d.note("the processor's clock follows its load (governor %s)", m.Governor)
	}
	if d.cfg.Rounds < stats.DefaultMinPairs && d.saved == nil {
		d.note("with --rounds %d there is no verdict; the fewest are %d", d.cfg.Rounds, stats.DefaultMinPairs)
	}
	need := int64(0)
	for i := range d.cfg.Cases {
		_, disk := guess(&d.cfg, d.head, &d.cfg.Cases[i])
		need = max(need, disk)
	}
	if m.OutputFree > 0 && uint64(need) > m.OutputFree {
		d.note("a run may need up to %s on disk, and only %s are free", humanize.IBytes(uint64(need)), humanize.IBytes(m.OutputFree))
	}
}

package compare

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/shufflebench/shufflebench/internal/report"
)

func TestGauge(t *testing.T) {
	g := newGauge(t.TempDir(), time.Now)
	seen, at := 0, uint32(0)
	for {
		at = g.next[at]
		seen++
		if at == 0 {
			break
		}
	}
	if seen != gaugeTable {
		t.Errorf("the walk comes back after %d steps, not %d", seen, gaugeTable)
	}
	for range 3 {
		d, err := g.take()
		if err != nil || d <= 0 {
			t.Fatalf("gauge: %v, %v", d, err)
		}
		t.Log(d)
	}
	if left, err := os.ReadDir(g.dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if n := testing.AllocsPerRun(3, func() { _, _ = g.take() }); n > 30 {
		t.Errorf("a gauge allocates %v times", n)
	}
	g.dir += "/gone"
	if _, err := g.take(); err == nil {
		t.Error("no error where nothing can be written")
	}
}

// TestAwaitQuiet: waiting ends at its limit, and says so.
func TestAwaitQuiet(t *testing.T) {
	clock := time.Unix(0, 0)
	step := time.Duration(0)
	d := &driver{
		cfg: Config{WaitIdle: 3 * time.Second}, hooks: &Hooks{}, res: &report.Comparison{}, noted: map[string]bool{},
		self: &Self{Now: func() time.Time { return clock }},
	}
	d.gauge = newGauge(t.TempDir(), func() time.Time {
		step += time.Second // every gauge takes a second longer than the one before
		clock = clock.Add(step)
		return clock
	})
	if err := d.awaitQuiet(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(d.res.Notes) != 1 || !strings.Contains(d.res.Notes[0], "did not become quiet within 3s") {
		t.Errorf("notes are %q", d.res.Notes)
	}
	d.res.Notes = nil
	d.gauge.now = func() time.Time { clock = clock.Add(time.Second); return clock }
	if err := d.awaitQuiet(t.Context()); err != nil || len(d.res.Notes) != 0 {
		t.Errorf("a quiet machine: %v, notes %q", err, d.res.Notes)
	}
}

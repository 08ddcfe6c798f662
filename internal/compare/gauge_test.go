package compare

import (
	"os"
	"testing"
	"time"
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

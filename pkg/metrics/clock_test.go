package metrics

import (
	"testing"
	"time"
)

// TestPhasesAddUp: whatever the nesting, the phases are the elapsed time.
func TestPhasesAddUp(t *testing.T) {
	var c Clock
	c.Enter(PhaseTake) // before Start: ignored
	start := time.Now()
	c.Start(PhaseOther)
	for range 100 {
		back := c.Enter(PhaseEncode)
		inner := c.Enter(PhaseCompress)
		if inner != PhaseEncode {
			t.Fatalf("left phase %s, want encode", inner)
		}
		c.Enter(inner)
		c.Enter(back)
	}
	c.Enter(PhaseWait)
	c.Stop()
	total := time.Since(start)
	var sum time.Duration
	for p := range NumPhases {
		sum += c.Spent(p)
	}
	if sum <= 0 || sum > total {
		t.Errorf("phases add up to %v of %v", sum, total)
	}
	if before := c.Spent(PhaseRead); before != 0 {
		t.Errorf("read has %v without being entered", before)
	}
	c.Enter(PhaseRead) // after Stop: no time is counted
	if c.Spent(PhaseWait) == 0 && c.Spent(PhaseEncode) == 0 {
		t.Error("nothing was counted")
	}
}

// TestOverlapBalances holds the rule in Breakdown's comment, exactly.
func TestOverlapBalances(t *testing.T) {
	m := &Clock{spent: [NumPhases]time.Duration{PhaseOther: 5, PhaseWrite: 20, PhaseWait: 30}}
	h1 := &Clock{spent: [NumPhases]time.Duration{PhaseRead: 40, PhaseWait: 100}}
	h2 := &Clock{spent: [NumPhases]time.Duration{PhaseEncode: 7, PhaseCompress: 9, PhaseOther: 3}}
	b := Combine(m, h1, h2)
	if b.Elapsed != 55 || b.Overlap != 40+16-30 || b.Spent[PhaseWait] != 0 || b.Spent[PhaseRead] != 40 {
		t.Errorf("got %+v", b)
	}
	balance(t, b)
	sum := b
	sum.Add(b)
	if sum.Elapsed != 110 || sum.Spent[PhaseCompress] != 18 {
		t.Errorf("sum of two is %+v", sum)
	}
	balance(t, sum)
}

func balance(t *testing.T, b Breakdown) {
	t.Helper()
	var work time.Duration
	for _, d := range b.Spent {
		work += d
	}
	if work-b.Overlap != b.Elapsed {
		t.Errorf("%v of work less %v of overlap is not %v", work, b.Overlap, b.Elapsed)
	}
}

func TestBlocksAreCounted(t *testing.T) {
	var c, helper Clock
	c.CountBlocks(3) // not running
	c.Start(PhaseEncode)
	c.MarkBlocks()
	c.last += 8 * time.Microsecond
	c.CountBlocks(4)
	c.CountBlocks(0)
	c.last += 5 * time.Microsecond
	c.CountBlocks(1)
	helper.blocks.Record(time.Millisecond, 2)
	b := Combine(&c, &helper)
	b.Add(Breakdown{Blocks: b.Blocks})
	if got, want := b.Blocks.String(), "1792:8 4096:2 917504:4"; got != want {
		t.Errorf("blocks are %q, want %q", got, want)
	}
}

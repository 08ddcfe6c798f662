package metrics

import "time"

// Phase is a kind of work inside a task. A phase means the same work whatever
// the engine or option, and on whichever goroutine it runs.
type Phase uint8

// The phases, in the order of the columns.
const (
	// PhaseOther is time of the task outside every phase below.
	PhaseOther Phase = iota
	// PhaseRead decodes the fixture's Parquet into Arrow batches.
	PhaseRead
	// PhasePartition computes each row's partition: key hashes and their remainder.
	PhasePartition
	// PhaseTake reorders a batch's rows by partition: counting, scattering, gathering.
	PhaseTake
	// PhaseEncode lays rows out as block payloads: schema, header, body.
	PhaseEncode
	// PhaseCompress turns payloads into frames and blocks.
	PhaseCompress
	// PhaseSpillWrite moves rows or blocks to spill files.
	PhaseSpillWrite
	// PhaseSpillRead brings them back during the merge.
	PhaseSpillRead
	// PhaseWrite writes the data file and the index.
	PhaseWrite
	// PhaseWait is a goroutine waiting for another one of its task; it is no work.
	PhaseWait
	// NumPhases is the number of phases.
	NumPhases
)

var phaseNames = [NumPhases]string{
	"other", "read", "partition", "take", "encode", "compress", "spill_write", "spill_read", "write", "wait",
}

// String is the phase's name in column names and JSON.
func (p Phase) String() string { return phaseNames[p] }

// Clock splits one goroutine's time into phases. Every moment between Start
// and Stop belongs to exactly one phase, so the phases add up by construction.
// A Clock belongs to one goroutine; its zero value ignores Enter until Start.
type Clock struct {
	origin time.Time
	last   time.Duration
	cur    Phase
	on     bool
	spent  [NumPhases]time.Duration
	mark   time.Duration // end of the blocks counted last, as last is
	blocks Histogram
}

// Start begins counting, in phase p.
func (c *Clock) Start(p Phase) {
	c.origin, c.last, c.cur, c.on = time.Now(), 0, p, true
}

// Enter switches to phase p and returns the phase it left, for the way back:
//
//	defer clock.Enter(clock.Enter(metrics.PhaseTake))
func (c *Clock) Enter(p Phase) Phase {
	prev := c.cur
	c.settle()
	c.cur = p
	return prev
}

// Add counts time of phase p that was measured in another way. The clock need
// not run.
func (c *Clock) Add(p Phase, d time.Duration) { c.spent[p] += d }

// Stop ends counting.
func (c *Clock) Stop() {
	c.settle()
	c.on = false
}

func (c *Clock) settle() {
	if !c.on {
		return
	}
	now := time.Since(c.origin)
	c.spent[c.cur] += now - c.last
	c.last = now
}

// MarkBlocks says that work on blocks begins at the last switch.
func (c *Clock) MarkBlocks() { c.mark = c.last }

// CountBlocks counts n blocks that took the time from the mark, or from those
// counted before, to the last switch. It reads no clock of its own.
func (c *Clock) CountBlocks(n int) {
	if c.on && n > 0 {
		c.blocks.Record((c.last-c.mark)/time.Duration(n), int64(n))
	}
	c.mark = c.last
}

// Spent is the time counted for phase p up to the last switch.
func (c *Clock) Spent(p Phase) time.Duration { return c.spent[p] }

// Breakdown is a task's time by phase. Work of helper goroutines is counted in
// its phase too, so phases may exceed the elapsed time by what ran side by
// side; that part is Overlap, and
//
//	sum of Spent (without wait) - Overlap = Elapsed
//
// holds exactly.
type Breakdown struct {
	Elapsed time.Duration
	Spent   [NumPhases]time.Duration // Spent[PhaseWait] is 0
	Overlap time.Duration            // work done beside the task's main goroutine, less the time that one waited
	Blocks  Histogram                // times to encode and compress a block
}

// Combine makes the Breakdown of a task from its main goroutine's clock and
// those of its helpers, all stopped.
func Combine(main *Clock, helpers ...*Clock) Breakdown {
	var b Breakdown
	for _, d := range main.spent {
		b.Elapsed += d
	}
	b.Spent = main.spent
	b.Overlap = -main.spent[PhaseWait]
	b.Blocks = main.blocks
	for _, h := range helpers {
		b.Blocks.Add(&h.blocks)
		for p, d := range h.spent {
			if Phase(p) == PhaseWait || Phase(p) == PhaseOther {
				continue
			}
			b.Spent[p] += d
			b.Overlap += d
		}
	}
	b.Spent[PhaseWait] = 0
	return b
}

// Add accumulates o into b, for means over tasks.
func (b *Breakdown) Add(o Breakdown) {
	b.Elapsed += o.Elapsed
	b.Overlap += o.Overlap
	for p, d := range o.Spent {
		b.Spent[p] += d
	}
	b.Blocks.Add(&o.Blocks)
}

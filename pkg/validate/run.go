package validate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/reader"
	"github.com/shufflebench/shufflebench/pkg/validate/fingerprint"
)

// run is the state of one proof.
type run struct {
	opts  Options
	keys  *fingerprint.Keys
	place placement
	found *collector
	costs costs

	mu     sync.Mutex // of what workers add to report
	report Report

	spread  buckets // of all tallies
	details int     // groups whose rows were searched
	opened  bool    // some output had an index that fits
	summed  bool    // some output has a checksum file
}

// costs is the time spent a check, in nanoseconds over all goroutines.
type costs struct{ index, blocks, rows, placement, search, sums atomic.Int64 }

// Run proves the output. Faults of the output are findings in the Report; an
// error means that the proof could not be made: options that contradict each other,
// a file that cannot be opened or read, an input that does not decode, or a
// context that ended.
func Run(ctx context.Context, o Options) (*Report, error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("validate: %w", err)
	}
	r := &run{opts: o, keys: newKeys(&o), found: newCollector(o.MaxFindings)}
	start := time.Now()
	if err := r.prove(ctx); err != nil {
		return nil, fmt.Errorf("validate: %w", err)
	}
	r.finish(time.Since(start))
	return &r.report, nil
}

func newKeys(o *Options) *fingerprint.Keys {
	if o.Seed != 0 {
		return fingerprint.KeysFrom(o.Seed)
	}
	return fingerprint.NewKeys()
}

func (r *run) prove(ctx context.Context) (err error) {
	if r.place, err = newPlacement(&r.opts); err != nil {
		return err
	}
	if err := comparableInput(&r.opts); err != nil {
		return err
	}
	opening := time.Now()
	groups, err := r.openGroups()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeAll(groups)) }()
	r.costs.index.Add(int64(time.Since(opening)))
	if len(groups) == 0 {
		return nil // the index says enough
	}
	r.opened = true
	return r.compare(ctx, groups)
}

// comparableInput refuses an input with a type that has no equality here.
func comparableInput(o *Options) error {
	for i, f := range o.Input.Schema().Fields() {
		if err := fingerprint.Comparable(f.Type, f.Type); err != nil {
			return fmt.Errorf("input column %d %q: %w", i, f.Name, err)
		}
	}
	return nil
}

// compare takes the tally of the input once and holds each group to it.
func (r *run) compare(ctx context.Context, groups []*group) error {
	r.place.partitions = r.report.Partitions
	partitions := r.report.Partitions
	if !r.place.known {
		partitions = 1
	}
	r.spread = newBuckets(r.opts.Input.Rows(), partitions)
	want, err := r.tallyInput(ctx)
	if err != nil {
		return err
	}
	r.report.InputRows = want.rows()
	for _, g := range groups {
		g.partitions = r.report.Partitions
		if err := r.proveGroup(ctx, g, want); err != nil {
			return err
		}
		if err := r.checkSums(ctx, g); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) tallyInput(ctx context.Context) (*tally, error) {
	tallies, visitors := r.tallies()
	if err := r.scanInput(ctx, false, visitors); err != nil {
		return nil, err
	}
	return mergeAll(tallies), nil
}

// tallies makes one tally a worker.
func (r *run) tallies() (ts []*tally, vs []visitor) {
	for range r.opts.Readers {
		t := newTally(r.spread, r.keys)
		ts, vs = append(ts, t), append(vs, t)
	}
	return ts, vs
}

func mergeAll(ts []*tally) *tally {
	for _, t := range ts[1:] {
		ts[0].merge(t)
	}
	return ts[0]
}

// proveGroup reads a group's blocks, compares the tallies, and searches where
// they differ.
func (r *run) proveGroup(ctx context.Context, g *group, want *tally) error {
	tallies, visitors := r.tallies()
	pass := outputPass{g: g, first: true, together: r.opts.Partitioning == Range}
	order := newOrderCheck(r)
	pass.visitors = func(worker, job int) visitor {
		if order == nil {
			return visitors[worker]
		}
		return order.visitor(job, visitors[worker])
	}
	if err := r.scanOutput(ctx, pass); err != nil {
		return err
	}
	order.report()
	if g.broken > 0 {
		r.found.note(fmt.Sprintf("%s of %s could not be read to the end: %s", plural(int64(g.broken), "partition"), g.name(), r.lost()))
	}
	if r.opts.Partitioning == ByKey {
		if err := r.checkKeys(ctx, g); err != nil {
			return err
		}
	}
	suspects := r.suspects(g, want, mergeAll(tallies))
	if suspects == nil {
		return nil
	}
	start := time.Now()
	defer func() { r.costs.search.Add(int64(time.Since(start))) }()
	return r.search(ctx, g, suspects)
}

// lost says what becomes of rows in partitions that could not be read.
func (r *run) lost() string {
	if r.place.known {
		return "rows that belong there were not compared"
	}
	return "rows that are missing may lie there"
}

// suspects is the buckets in which a group differs from the input, nil if it
// does in none. Buckets of partitions that could not be read are passed over.
func (r *run) suspects(g *group, want, got *tally) bitset {
	var s bitset
	var lost bitset
	if g.damaged != nil && r.place.known && r.spread.own(g.partitions) {
		lost = newBitset(r.spread.n)
		for p := range g.partitions {
			lo, hi := r.spread.span(p)
			for i := lo; i < hi && g.damaged.has(p); i++ {
				lost.set(i)
			}
		}
	}
	for i := range want.sums {
		if want.sums[i] == got.sums[i] || lost != nil && lost.has(i) {
			continue
		}
		if s == nil {
			s = newBitset(r.spread.n)
		}
		s.set(i)
	}
	return s
}

// total adds what one worker read.
func (r *run) total(s reader.Stats, tags map[shufflefile.Tag]int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Rows += s.Rows
	r.report.Blocks += s.Blocks
	r.report.PayloadBytes += s.PayloadBytes
	if r.report.Codecs == nil {
		r.report.Codecs = map[string]int64{}
	}
	for t, n := range tags {
		if n > 0 && t != (shufflefile.Tag{}) {
			r.report.Codecs[t.String()] += n
		}
	}
}

// finish completes the report.
func (r *run) finish(spent time.Duration) {
	rep := &r.report
	rep.Partitioning = r.opts.Partitioning
	if r.place.hasher != nil {
		rep.HashRule = r.opts.HashRule.String()
	}
	rep.Tasks = len(r.opts.Pairs)
	rep.Seconds = spent.Seconds()
	rep.Chance = chance(max(rep.InputRows, rep.Rows, 1))
	r.found.fill(rep)
	seconds := func(c *atomic.Int64) float64 { return time.Duration(c.Load()).Seconds() }
	rep.Checks = []Check{
		{Name: "index", Seconds: seconds(&r.costs.index), Faults: r.found.count(IndexFault)},
		{Name: "blocks", Seconds: seconds(&r.costs.blocks), Faults: r.found.count(BlockFault, EmptyBlock)},
		{Name: "schema", Faults: r.found.count(SchemaFault)},
		{Name: "placement", Seconds: seconds(&r.costs.placement), Faults: r.found.count(MisplacedRow, SplitKey, OrderFault)},
		{Name: "rows", Seconds: seconds(&r.costs.rows), Faults: r.found.count(MissingRow, ExtraRow, DuplicateRow, ChangedRow, DifferingRows)},
	}
	if r.summed {
		rep.Checks = append(rep.Checks, Check{Name: "checksums", Seconds: seconds(&r.costs.sums), Faults: r.found.count(ChecksumFault)})
	}
	if s := seconds(&r.costs.search); s > 0 {
		rep.Checks = append(rep.Checks, Check{Name: "search", Seconds: s})
	}
	r.skipped(rep.Checks)
}

// skipped says which checks were not made, and why.
func (r *run) skipped(checks []Check) {
	for i := range checks {
		c := &checks[i]
		switch {
		case c.Name != "index" && !r.opened:
			c.Skipped = "the index does not fit"
		case c.Name == "placement" && r.opts.Partitioning == None:
			c.Skipped = "partitioning none"
		}
	}
}

// chance bounds the probability of taking two different multisets of rows for
// equal: see the package comment.
func chance(rows int64) string {
	return fmt.Sprintf("below 2^-%d", 120-int(math.Ceil(math.Log2(float64(rows)))))
}

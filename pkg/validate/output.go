package validate

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/reader"
	"github.com/shufflebench/shufflebench/pkg/validate/fingerprint"
)

// outputPass is one walk over the blocks of a group.
type outputPass struct {
	g        *group
	first    bool // report what is wrong with blocks; later passes know it
	together bool // all files of a partition one after another
	withKeys bool
	// visitors makes the visitor of a job; jobs are numbered in the order of
	// their partitions, and a worker has one job at a time.
	visitors func(worker, job int) visitor
}

// scanOutput walks. Each worker takes one job after another.
func (r *run) scanOutput(ctx context.Context, pass outputPass) error {
	jobs := pass.g.jobs(r.opts.Readers, pass.together)
	g, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for worker := range min(r.opts.Readers, len(jobs)) {
		g.Go(func() (err error) {
			w := r.newOutputWorker(pass)
			defer func() { err = errors.Join(err, w.close()) }()
			for {
				j := int(next.Add(1)) - 1
				if j >= len(jobs) {
					return nil
				}
				w.to = pass.visitors(worker, j)
				if err := w.job(ctx, jobs[j]); err != nil {
					return err
				}
			}
		})
	}
	return g.Wait()
}

// outputWorker reads partitions on one goroutine.
type outputWorker struct {
	r       *run
	pass    outputPass
	plans   plans
	to      visitor
	readers map[*reader.File]*reader.Reader
	c       chunk
	tags    map[shufflefile.Tag]int64
	tag     shufflefile.Tag // of the last blocks, and how many they are
	tagged  int64
	stats   reader.Stats
	blocks  uint          // for sampling the clock
	hashed  time.Duration // spent on rows, by that sample
}

func (r *run) newOutputWorker(pass outputPass) *outputWorker {
	w := &outputWorker{r: r, pass: pass, readers: map[*reader.File]*reader.Reader{}, tags: map[shufflefile.Tag]int64{}}
	w.plans = plans{r: r}
	if pass.withKeys {
		w.plans.keyCols = r.place.keyCols
	}
	return w
}

// close ends the readers and hands in the totals.
func (w *outputWorker) close() error {
	err := w.drop()
	if w.pass.first {
		w.tags[w.tag] += w.tagged
		w.r.total(w.stats, w.tags)
	}
	return err
}

// drop closes all readers.
func (w *outputWorker) drop() error {
	var errs []error
	for f, rd := range w.readers {
		w.stats.Add(rd.Stats())
		errs = append(errs, rd.Close())
		delete(w.readers, f)
	}
	return errors.Join(errs...)
}

func (w *outputWorker) reader(f *reader.File) *reader.Reader {
	rd := w.readers[f]
	if rd == nil {
		rd = f.NewReader()
		w.readers[f] = rd
	}
	return rd
}

func (w *outputWorker) job(ctx context.Context, j job) error {
	start, hashed := time.Now(), w.hashed
	for p := j.lo; p < j.hi; p++ {
		for _, f := range j.files {
			if _, n := f.Index().Range(p); n == 0 {
				continue
			}
			if err := w.partition(ctx, f, p); err != nil {
				return err
			}
		}
	}
	if len(j.files) == 1 {
		if err := w.drop(); err != nil {
			return err
		}
	}
	w.r.costs.rows.Add(int64(w.hashed - hashed))
	w.r.costs.blocks.Add(int64(time.Since(start) - (w.hashed - hashed)))
	return nil
}

// partition reads one partition of one file. What is wrong with its bytes is a
// finding, and the next partition goes on.
func (w *outputWorker) partition(ctx context.Context, f *reader.File, p int) (err error) {
	where := shufflefile.Place{File: f.DataPath(), Partition: p, Block: shufflefile.NoPlace, Offset: shufflefile.NoPlace}
	defer func() {
		if x := recover(); x != nil { // values that no check foresaw
			delete(w.readers, f)
			err = w.broken(where, shufflefile.Corrupt("values cannot be read: %v", x))
		}
	}()
	for b, err := range w.reader(f).Blocks(p) {
		if err != nil {
			return w.broken(where, err)
		}
		where = b.Place
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.block(&b); err != nil {
			return w.broken(where, err)
		}
	}
	return nil
}

// broken ends a partition at a fault.
func (w *outputWorker) broken(where shufflefile.Place, err error) error {
	if !w.pass.first {
		return operational(err)
	}
	w.pass.g.damage(where.Partition)
	kind := BlockFault
	var s *schemaError
	if errors.As(err, &s) {
		kind = SchemaFault
	}
	return w.r.found.fault(kind, shufflefile.At(where, err))
}

// operational is err unless it is a fault of the files.
func operational(err error) error {
	var e *shufflefile.Error
	if errors.As(err, &e) && e.Class != nil {
		return nil
	}
	return err
}

// bigBlock is the number of rows from which a block's time is always measured;
// of smaller ones every eighth is, as reading the clock would cost more than they do.
const bigBlock = 512

func (w *outputWorker) block(b *reader.Block) error {
	plan, err := w.plans.of(b.Batch.Schema())
	if err != nil {
		return err
	}
	if w.pass.first {
		if err := w.inspect(b, plan); err != nil {
			return err
		}
	}
	rows := int(b.Batch.NumRows())
	w.blocks++
	if rows < bigBlock && w.blocks&7 != 0 {
		w.rows(b, plan, rows)
		return nil
	}
	start := time.Now()
	w.rows(b, plan, rows)
	spent := time.Since(start)
	if rows < bigBlock {
		spent *= 8
	}
	w.hashed += spent
	return nil
}

// rows hands the block's rows to the visitor, a chunk at a time.
func (w *outputWorker) rows(b *reader.Block, plan *plan, rows int) {
	c := &w.c
	*c = chunk{batch: b.Batch, rows: plan.rows, where: b.Place}
	if w.r.place.known {
		c.part = int32(b.Place.Partition)
	}
	for first := 0; first < rows; first += fingerprint.ChunkRows {
		n := min(fingerprint.ChunkRows, rows-first)
		c.first = first
		c.a, c.b = plan.rows.Fold(b.Batch, first, n)
		if plan.keys != nil {
			c.keys, c.tags = plan.keys.Fold(b.Batch, first, n)
		}
		w.to.visit(c)
	}
}

// inspect looks at what a decoded block says of itself.
func (w *outputWorker) inspect(b *reader.Block, plan *plan) error {
	if b.Header.Tag != w.tag {
		w.tags[w.tag] += w.tagged
		w.tag, w.tagged = b.Header.Tag, 0
	}
	w.tagged++
	if b.Header.Length != 0 { // Comet's layout
		if cols := uint64(plan.schema.NumFields()); b.Header.Columns != cols {
			return shufflefile.Corrupt("header says %d columns, the block has %d", b.Header.Columns, cols)
		}
		if !plan.noted {
			plan.noted = true
			w.r.noteRefused(plan.schema)
		}
	}
	if plan.fault != "" {
		f := Finding{Kind: SchemaFault, Message: plan.fault}
		f.at(b.Place)
		w.r.found.add(f)
	}
	if b.Batch.NumRows() == 0 {
		w.empty(b)
	}
	return nil
}

// empty takes down a block without rows. Comet's readers and writers have none;
// in Ballista's streams such a batch is legal.
func (w *outputWorker) empty(b *reader.Block) {
	if b.Header.Length == 0 {
		w.r.found.note(b.Place.File + " has batches without rows")
		return
	}
	f := Finding{Kind: EmptyBlock, Message: fmt.Sprintf("block of %d bytes has no rows", b.Header.Size())}
	f.at(b.Place)
	w.r.found.add(f)
}

package bench

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"golang.org/x/sync/errgroup"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/reader"
)

// The consumers of a measured read.
const (
	// ConsumeCount looks at the number of rows of every batch.
	ConsumeCount = "count"
	// ConsumeTouch reads every byte of every buffer.
	ConsumeTouch = "touch"
)

// Consumers lists their names.
func Consumers() []string { return []string{ConsumeCount, ConsumeTouch} }

// ReadOrder is one measured read: what to decode, and how.
type ReadOrder struct {
	Data, Index string
	Endian      string
	Layout      string
	From, To    int // partitions From to To-1; To 0 = all
	SchemaCache int // entries; 0 = off
	Validated   bool
	Readers     int
	Consumer    string
}

// ReadFigures is what a measured read counted.
type ReadFigures struct {
	Partitions int           `json:"partitions"` // that were read
	Elapsed    time.Duration `json:"elapsed"`
	Stats      reader.Stats  `json:"stats"`
	Mallocs    uint64        `json:"mallocs"`  // heap objects
	Usage      metrics.Usage `json:"usage"`    // of the process
	Checksum   uint64        `json:"checksum"` // of what was touched, so that touching cannot be left out
}

// options makes the reader's.
func (o *ReadOrder) options() (reader.Options, error) {
	endian, err := shufflefile.ParseEndian(o.Endian)
	if err != nil {
		return reader.Options{}, err
	}
	layout, err := reader.ParseLayout(o.Layout)
	if err != nil {
		return reader.Options{}, err
	}
	cache := o.SchemaCache
	if cache == 0 {
		cache = reader.NoCache
	}
	return reader.Options{SchemaCache: cache, Validated: o.Validated, Endian: endian, Layout: layout, Reuse: true}, nil
}

// read carries a read order out. The clock runs from the first reader's start
// to the last one's end; opening the files is outside.
func (o *ReadOrder) read(ctx context.Context) (fig *ReadFigures, err error) {
	opts, err := o.options()
	if err != nil {
		return nil, err
	}
	f, err := reader.OpenPair(o.Data, o.Index, opts)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	to := o.To
	if to == 0 {
		to = f.Partitions()
	}
	if o.From < 0 || o.From >= to || to > f.Partitions() {
		return nil, fmt.Errorf("%s has partitions 0-%d, not %d-%d", o.Data, f.Partitions()-1, o.From, to-1)
	}
	fig = &ReadFigures{Partitions: to - o.From}
	shares := cutShares(f.Index(), o.From, to, sharesPerReader*o.Readers)
	var before, after runtime.MemStats
	watch := metrics.Watch()
	runtime.ReadMemStats(&before)
	start := time.Now()
	err = o.readShares(ctx, f, shares, fig)
	fig.Elapsed = time.Since(start)
	runtime.ReadMemStats(&after)
	fig.Usage, fig.Mallocs = watch.Stop(), after.Mallocs-before.Mallocs
	return fig, err
}

// sharesPerReader is into how many parts a reader's work is cut, so that all
// end at about the same time.
const sharesPerReader = 16

// share is consecutive partitions.
type share struct{ from, to int }

// cutShares cuts partitions into parts of about equal bytes.
func cutShares(x shufflefile.Index, from, to, parts int) []share {
	target := (x[to]-x[from])/int64(parts) + 1
	var out []share
	start := from
	for p := from; p < to; p++ {
		if x[p+1]-x[start] >= target || p == to-1 {
			out = append(out, share{start, p + 1})
			start = p + 1
		}
	}
	return out
}

// readShares decodes all shares with the readers that were asked for.
func (o *ReadOrder) readShares(ctx context.Context, f *reader.File, shares []share, fig *ReadFigures) error {
	var next atomic.Int64
	stats, sums := make([]reader.Stats, o.Readers), make([]uint64, o.Readers)
	group, ctx := errgroup.WithContext(ctx)
	for i := range o.Readers {
		group.Go(func() (err error) {
			r := f.NewReader()
			defer func() {
				stats[i] = r.Stats()
				err = errors.Join(err, r.Close())
			}()
			for {
				n := int(next.Add(1)) - 1
				if n >= len(shares) {
					return nil
				}
				if err := o.readShare(ctx, r, shares[n], &sums[i]); err != nil {
					return err
				}
			}
		})
	}
	err := group.Wait()
	for i := range stats {
		fig.Stats.Add(stats[i])
		fig.Checksum += sums[i]
	}
	return err
}

func (o *ReadOrder) readShare(ctx context.Context, r *reader.Reader, s share, sum *uint64) error {
	for p := s.from; p < s.to; p++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		for batch, err := range r.Partition(p) {
			if err != nil {
				return err
			}
			*sum += uint64(batch.NumRows())
			if o.Consumer == ConsumeTouch {
				for _, c := range batch.Columns() {
					*sum += touch(c.Data())
				}
			}
		}
	}
	return nil
}

// touch reads all buffers of an array.
func touch(d arrow.ArrayData) (sum uint64) {
	for _, b := range d.Buffers() {
		if b == nil {
			continue
		}
		bytes := b.Bytes()
		for ; len(bytes) >= 8; bytes = bytes[8:] {
			sum += binary.LittleEndian.Uint64(bytes)
		}
		for _, c := range bytes {
			sum += uint64(c)
		}
	}
	for _, c := range d.Children() {
		sum += touch(c)
	}
	if d.DataType().ID() == arrow.DICTIONARY {
		sum += touch(d.Dictionary())
	}
	return sum
}

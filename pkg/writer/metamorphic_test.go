package writer

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"go.uber.org/goleak"

	"github.com/shufflebench/shufflebench/internal/oracle"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// writerSeed repeats one round of TestMetamorphic, as the environment variable
// SHUFFLEBENCH_SEED does.
var writerSeed = flag.Uint64("writer.seed", 0, "round of TestMetamorphic to repeat; 0 = all")

// twins are the engines that must leave the same rows in the same order.
var twins = []string{"segments", "ranges"}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// randomOptions decides what is written.
func randomOptions(r *rand.Rand, columns int) Options {
	o := Options{
		BatchSize:       pick(r, 1, 7, 100, 333, 1000, 8192),
		Partitions:      pick(r, 1, 2, 7, 200, 3000),
		Partitioning:    pick(r, Hash, Hash, RoundRobin),
		Codec:           pick(r, shufflefile.LZ4, shufflefile.LZ4, shufflefile.Zstd, shufflefile.Snappy, shufflefile.None),
		LZ4Encoder:      pick(r, LZ4Column, LZ4General, LZ4Pierrec),
		WriteBufferSize: int64(pick(r, 1, 1000, 1<<20)),
		Limit:           int64(pick(r, 0, 0, 1, 700)),
	}
	o.OffsetLengths = o.Codec == shufflefile.Zstd && r.IntN(2) == 0
	if columns > 2 { // maps among them, which have no hash
		o.Partitioning = Hash
	}
	o.HashColumns = []string{strconv.Itoa(r.IntN(min(columns, 14)))}
	if r.IntN(3) == 0 {
		o.HashColumns = append(o.HashColumns, strconv.Itoa(r.IntN(min(columns, 14))))
	}
	if r.IntN(8) == 0 {
		o.Partitioning, o.Partitions = Single, 1
	}
	return o
}

// randomMeans decides how it is written, which must not show in the rows.
func randomMeans(r *rand.Rand, o Options) Options {
	o.MaxBufferBytes = int64(pick(r, 0, 1, 5_000, 60_000, 1<<20))
	o.MergeBudget = int64(pick(r, 64<<10, 64<<10, 1<<20, 16<<20))
	o.SpillCodec = pick(r, "none", "lz4")
	o.SpillMetadata = pick(r, Retain, Release)
	o.Workers = pick(r, 1, 2, 5)
	o.ConcurrentTasks = pick(r, 1, 1, 3)
	return o
}

// TestMetamorphic runs random options in random ways. All ways leave the same
// rows in the same order in every partition; segments leaves the same bytes
// whatever was spilled, and ranges whatever only changes the way there.
func TestMetamorphic(t *testing.T) {
	defer goleak.VerifyNone(t)
	inputs := []*given{
		seedInput(t, 2500, 1000), seedInput(t, 999, 1000), mixedInput(t, 1, 600, 1, 0, 300), mixedInput(t, 2, 50),
		seedInput(t, 40_000, 15_000), // several windows
	}
	first, last := uint64(1), uint64(oracle.Rounds(25))
	if s := os.Getenv("SHUFFLEBENCH_SEED"); s != "" {
		if err := flag.Set("writer.seed", s); err != nil {
			t.Fatal(err)
		}
	}
	if *writerSeed != 0 {
		first, last = *writerSeed, *writerSeed
	}
	for seed := first; seed <= last; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 0))
			in := inputs[r.IntN(len(inputs))]
			o := randomOptions(r, in.src.Schema().NumFields())
			if len(in.rows) > 10_000 {
				o.BatchSize = max(o.BatchSize, 1000)
			}
			metamorphic(t, r, in, o)
		})
	}
}

func metamorphic(t *testing.T, r *rand.Rand, in *given, what Options) {
	want := in.table(t, what)
	for _, engine := range twins {
		o := what
		o.Engine = engine
		base := randomMeans(r, o)
		first := shuffleInMemory(t, in, base)
		if d := oracle.Diff(first.table, want); d != "" {
			t.Fatalf("%s\n%s", &base, d)
		}
		for range 2 {
			other := randomMeans(r, o)
			if engine == "ranges" { // which shows in its blocks what was spilled together
				other.MaxBufferBytes = base.MaxBufferBytes
			}
			out := shuffleInMemory(t, in, other)
			if !bytes.Equal(out.data, first.data) || !bytes.Equal(out.index, first.index) {
				t.Fatalf("other bytes:\n%s\n%s", describe(&base), describe(&other))
			}
		}
	}
	sameUnspilled(t, in, what)
}

// sameUnspilled: what was never spilled is encoded alike by both engines.
func sameUnspilled(t *testing.T, in *given, o Options) {
	var first *outcome
	for _, engine := range twins {
		o.Engine = engine
		out := shuffleInMemory(t, in, o)
		if first == nil {
			first = out
		}
		if !bytes.Equal(out.data, first.data) {
			t.Fatalf("%s: other bytes than %s", &o, twins[0])
		}
	}
}

// describe adds what String leaves out.
func describe(o *Options) string {
	return fmt.Sprintf("%s merge-budget=%d spill-codec=%s workers=%d write-buffer=%d limit=%d",
		o, o.MergeBudget, o.SpillCodec, o.Workers, o.WriteBufferSize, o.Limit)
}

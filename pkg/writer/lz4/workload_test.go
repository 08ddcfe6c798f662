package lz4

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

// seedStreams makes n blocks of the seed workload as one of so many hash
// partitions holds them: id with random gaps, value = id*17+11.
func seedStreams(t testing.TB, partitions, n int) []stream {
	rng := rand.New(rand.NewPCG(1, 2))
	out := make([]stream, n)
	for i := range out {
		var ids []int64
		for id := rng.IntN(2 * partitions); id < 2883584; id += 1 + int(rng.ExpFloat64()*float64(partitions)) {
			ids = append(ids, int64(id))
		}
		out[i] = idValueStream(t, ids)
	}
	return out
}

// rangesStreams makes n blocks of one to four rows, as a spill of one batch
// into 16,000 partitions makes them.
func rangesStreams(t testing.TB, n int) []stream {
	rng := rand.New(rand.NewPCG(1, 2))
	out := make([]stream, n)
	for i := range out {
		ids := make([]int64, 1+rng.IntN(4))
		next := ascending(rng, rng.Int64N(2883584-32768), 8000)
		for i := range ids {
			ids[i] = next(i)
		}
		out[i] = idValueStream(t, ids)
	}
	return out
}

func idValueStream(t testing.TB, ids []int64) stream {
	return newStream(t, []string{"id", "value"}, []arrow.Array{
		int64s(len(ids), func(i int) int64 { return ids[i] }),
		int64s(len(ids), func(i int) int64 { return ids[i]*17 + 11 }),
	})
}

// TestSeedWorkloadSizes holds the sizes of the seed workload's blocks to what
// other encoders need: at 16,000 partitions of 179 rows a general encoder with
// a 5-byte hash 2,274 bytes, at 200 partitions 9.62 bytes a row.
func TestSeedWorkloadSizes(t *testing.T) {
	var e Encoder
	for _, c := range []struct {
		partitions, blocks int
		most               float64 // bytes a row
	}{{16000, 100, 12.25}, {200, 4, 9.28}} {
		streams := seedStreams(t, c.partitions, c.blocks)
		h := CompileHead(streams[0].payload, streams[0].headLen, streams[0].variable)
		size, rows := 0, 0
		for _, s := range streams {
			frame := e.AppendFrame(nil, h, s.payload, s.regions)
			checkFrame(t, frame, s.payload)
			size += len(frame)
			rows += (s.regions[0].End - s.regions[0].Start) / 8
		}
		t.Logf("%d partitions: %d bytes a block of %d rows", c.partitions, size/c.blocks, rows/c.blocks)
		if got := float64(size) / float64(rows); got > c.most {
			t.Errorf("%d partitions: %.3f bytes a row, want at most %.3f", c.partitions, got, c.most)
		}
	}
}

// TestColumnTypes decodes blocks of one column of every type.
func TestColumnTypes(t *testing.T) {
	var e Encoder
	for _, c := range columnTypes() {
		for _, rows := range []int{1, 2, 17, 180, 14400} {
			if raceEnabled && rows > 1000 {
				continue
			}
			for _, s := range typeStreams(t, c, rows, 1+40/rows) {
				h := CompileHead(s.payload, s.headLen, s.variable)
				checkFrame(t, e.AppendFrame(nil, h, s.payload, s.regions), s.payload)
				if t.Failed() {
					t.Fatalf("%s, %d rows", c.name, rows)
				}
			}
		}
	}
}

// TestColumnsGoOnBehindBlocks has decimals whose values do not begin where the
// frame's second block does.
func TestColumnsGoOnBehindBlocks(t *testing.T) {
	if raceEnabled {
		t.Skip("long")
	}
	rng := rand.New(rand.NewPCG(2, 2))
	payload := make([]byte, 40, 9<<20)
	for len(payload) < 9<<20-16 {
		payload = binary.LittleEndian.AppendUint64(payload, rng.Uint64N(1e6))
		payload = binary.LittleEndian.AppendUint64(payload, 0)
	}
	var e Encoder
	frame := e.AppendFrame(nil, nil, payload, []Region{{Start: 40, End: len(payload), Kind: Fixed, Stride: 16}})
	checkFrame(t, frame, payload)
	if got := float64(len(frame)) / float64(len(payload)); got > 0.33 {
		t.Errorf("compressed to %.3f of the payload", got)
	}
}

package lz4

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pierrec/lz4/v4"
)

// TestFrameHeadersAreTheLibrarys compares the constant headers with those that
// the pierrec library writes for the same options.
func TestFrameHeadersAreTheLibrarys(t *testing.T) {
	sizes := []lz4.BlockSize{lz4.Block64Kb, lz4.Block256Kb, lz4.Block1Mb, lz4.Block4Mb}
	for i, h := range frameHeaders {
		var out bytes.Buffer
		w := lz4.NewWriter(&out)
		if err := w.Apply(lz4.BlockSizeOption(sizes[i]), lz4.ChecksumOption(false)); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte("abc")); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got := out.Bytes()[:frameHeaderSize]; !bytes.Equal(got, h.header[:]) {
			t.Errorf("block maximum %d: header % x, the library writes % x", h.maximum, h.header, got)
		}
	}
}

// contents are fillers of n bytes.
var contents = map[string]func(n int) []byte{
	"zeros": func(n int) []byte { return make([]byte, n) },
	"random": func(n int) []byte {
		rng, b := rand.New(rand.NewPCG(3, uint64(n))), make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return b
	},
	"ascending": func(n int) []byte {
		b := make([]byte, 0, n+8)
		for i := 0; len(b) < n; i++ {
			b = binary.LittleEndian.AppendUint64(b, uint64(i)*977)
		}
		return b[:n]
	},
	"repeating": func(n int) []byte { return bytes.Repeat([]byte("abcdefg"), n/7+1)[:n] },
}

// TestFrameOfEveryLength encodes the lengths at which a rule begins to hold,
// as every kind of region.
func TestFrameOfEveryLength(t *testing.T) {
	lengths := []int{}
	for n := range 100 {
		lengths = append(lengths, n)
	}
	borders := []int{64 << 10, 256 << 10, 1 << 20, 4 << 20, 8 << 20}
	if raceEnabled {
		borders = borders[:1]
	}
	for _, border := range borders {
		lengths = append(lengths, border-1, border, border+1, border+13)
	}
	var e Encoder
	for _, n := range lengths {
		for name, fill := range contents {
			if n > 300<<10 && name != "ascending" {
				continue
			}
			payload := fill(n)
			frames := [][]byte{e.AppendFrameGeneral(nil, payload)}
			for _, stride := range []int{0, 4, 8, 16} {
				r := Region{End: n, Kind: Fixed, Stride: stride}
				if n < 100 || stride == 8 {
					frames = append(frames, e.AppendFrame(nil, nil, payload, []Region{r}))
				}
			}
			for _, f := range frames {
				checkFrame(t, f, payload)
				if t.Failed() {
					t.Fatalf("%d bytes %s", n, name)
				}
			}
		}
	}
}

// TestFrameUsesTheSmallestBlockMaximum reads the header's size code.
func TestFrameUsesTheSmallestBlockMaximum(t *testing.T) {
	var e Encoder
	for _, c := range []struct {
		n    int
		code byte
	}{
		{0, 4}, {1, 4}, {64 << 10, 4}, {64<<10 + 1, 5}, {256 << 10, 5}, {256<<10 + 1, 6},
		{1 << 20, 6}, {1<<20 + 1, 7}, {4 << 20, 7}, {9 << 20, 7},
	} {
		frame := e.AppendFrame(nil, nil, make([]byte, c.n), nil)
		if got := frame[5] >> 4; got != c.code {
			t.Errorf("%d bytes: block maximum code %d, want %d", c.n, got, c.code)
		}
	}
}

// TestFrameAppends keeps what dst holds already.
func TestFrameAppends(t *testing.T) {
	var e Encoder
	payload := contents["ascending"](5000)
	want := e.AppendFrameGeneral(nil, payload)
	got := e.AppendFrameGeneral([]byte("block header"), payload)
	if string(got[:12]) != "block header" || !bytes.Equal(got[12:], want) {
		t.Errorf("appended frame differs")
	}
}

// TestIncompressibleIsStored expects exactly the stored size.
func TestIncompressibleIsStored(t *testing.T) {
	var e Encoder
	lengths := []int{1, 12, 13, 1000, 64 << 10, 5 << 20}
	if raceEnabled {
		lengths = lengths[:5]
	}
	for _, n := range lengths {
		payload := contents["random"](n)
		for _, stride := range []int{1, 4, 8, 16} {
			frame := e.AppendFrame(nil, nil, payload, []Region{{End: n, Kind: Fixed, Stride: stride}})
			if len(frame) != FrameSizeStored(n) {
				t.Errorf("%d random bytes, stride %d: frame of %d, want %d", n, stride, len(frame), FrameSizeStored(n))
			}
			checkFrame(t, frame, payload)
		}
	}
}

// TestFrameFunc puts another block compressor into the same frame: blocks that
// it cannot shrink are stored, and its errors come back.
func TestFrameFunc(t *testing.T) {
	var c lz4.Compressor
	for _, payload := range [][]byte{nil, contents["ascending"](70000), contents["random"](5 << 20)} {
		frame, err := AppendFrameFunc(nil, payload, func(dst, src []byte) (int, error) { return c.CompressBlock(src, dst) })
		if err != nil {
			t.Fatal(err)
		}
		checkFrame(t, frame, payload)
	}
	failure := errors.New("no")
	if _, err := AppendFrameFunc(nil, []byte("x"), func(_, _ []byte) (int, error) { return 0, failure }); !errors.Is(err, failure) {
		t.Errorf("error %v, want %v", err, failure)
	}
}

// randomLayout makes a payload of regions of every kind with padding between
// them, as a record batch has it, and sometimes without a plan.
func randomLayout(rng *rand.Rand) ([]byte, []Region) {
	payload := contents["random"](rng.IntN(300))
	var regions []Region
	for range 1 + rng.IntN(6) {
		words := 1 + rng.IntN(1+rng.IntN(3000))
		columns := twinColumns(rng, words)
		names := slices.Sorted(mapKeys(columns))
		data := columns[names[rng.IntN(len(names))]]
		r := Region{Start: len(payload), End: len(payload) + len(data), Kind: Kind(rng.IntN(4))}
		r.Stride = []int{1, 2, 3, 4, 8, 8, 8, 16, 32}[rng.IntN(9)]
		payload = append(payload, data...)
		payload = append(payload, make([]byte, rng.IntN(70))...)
		regions = append(regions, r)
	}
	if rng.IntN(2) == 0 {
		payload = append(payload, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0)
	}
	return payload, regions
}

func mapKeys[V any](m map[string]V) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// TestRandomLayouts decodes payloads of random regions.
func TestRandomLayouts(t *testing.T) {
	var e Encoder
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 17))
		payload, regions := randomLayout(rng)
		checkFrame(t, e.AppendFrame(nil, nil, payload, regions), payload)
		checkFrame(t, e.AppendFrameGeneral(nil, payload), payload)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// TestRegionsOutOfOrder gives regions that overlap, run backwards or lie
// outside: they cost size, never correctness.
func TestRegionsOutOfOrder(t *testing.T) {
	var e Encoder
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 23))
		payload := contents["ascending"](rng.IntN(5000))
		var regions []Region
		for range rng.IntN(8) {
			regions = append(regions, Region{
				Start: rng.IntN(6000) - 500, End: rng.IntN(6000) - 500,
				Kind: Kind(rng.IntN(6)), Stride: rng.IntN(40) - 4,
			})
		}
		checkFrame(t, e.AppendFrame(nil, nil, payload, regions), payload)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// TestOutputDependsOnArgumentsAlone compares a fresh encoder with one that has
// encoded other payloads before, also across the wrap of its generations.
func TestOutputDependsOnArgumentsAlone(t *testing.T) {
	var used Encoder
	for seed := range uint64(100) {
		payload, regions := randomLayout(rand.New(rand.NewPCG(seed, 29)))
		if seed%10 == 0 {
			used.generation, used.span = 1<<31-uint32(seed)*1000-1, 70000
		}
		var fresh, fresh2 Encoder
		want, got := fresh.AppendFrame(nil, nil, payload, regions), used.AppendFrame(nil, nil, payload, regions)
		if !bytes.Equal(got, want) {
			t.Fatalf("seed %d: a used encoder writes %s", seed, describe(got, want))
		}
		want, got = fresh2.AppendFrameGeneral(nil, payload), used.AppendFrameGeneral(nil, payload)
		if !bytes.Equal(got, want) {
			t.Fatalf("seed %d: general: a used encoder writes %s", seed, describe(got, want))
		}
	}
}

// TestNoAllocations holds calls to none once dst has MaxFrameSize.
func TestNoAllocations(t *testing.T) {
	s := seedStreams(t, 16000, 1)[0]
	h := CompileHead(s.payload, s.headLen, s.variable)
	long := contents["ascending"](5 << 20)
	if raceEnabled {
		long = long[:70<<10]
	}
	var e Encoder
	dst := make([]byte, 0, MaxFrameSize(len(long)))
	for name, call := range map[string]func(){
		"column":  func() { e.AppendFrame(dst, h, s.payload, s.regions) },
		"general": func() { e.AppendFrameGeneral(dst, s.payload) },
		"long":    func() { e.AppendFrame(dst, nil, long, []Region{{End: len(long), Kind: Fixed, Stride: 8}}) },
	} {
		if n := testing.AllocsPerRun(20, call); n != 0 {
			t.Errorf("%s: %v allocations a call", name, n)
		}
	}
}

// FuzzFrame derives regions from the second input, three bytes each.
func FuzzFrame(f *testing.F) {
	f.Add([]byte("short"), []byte{})
	f.Add(contents["ascending"](700), []byte{60, 0x18, 255, 0, 0x14, 40})
	f.Add(contents["zeros"](300), []byte{10, 0x20, 30})
	f.Add(contents["repeating"](900), []byte{0, 0x1f, 200, 3, 0x08, 100, 9, 0x34, 255})
	for seed := range uint64(3) {
		payload, _ := randomLayout(rand.New(rand.NewPCG(seed, 31)))
		f.Add(payload, []byte{40, 0x18, 255, 1, 0x1f, 255, 2, 0x14, 255})
	}
	f.Fuzz(func(t *testing.T, payload, plan []byte) {
		var regions []Region
		at := 0
		for ; len(plan) >= 3; plan = plan[3:] {
			start := at + int(plan[0])
			at = start + 16*int(plan[2])
			stride := int(plan[1] & 15)
			if stride == 15 {
				stride = 16
			}
			regions = append(regions, Region{Start: start, End: at, Kind: Kind(plan[1] >> 4), Stride: stride})
		}
		h := CompileHead(payload, min(len(payload)/3, 500), []Span{{Off: 8, Len: 8}, {Off: 40, Len: 8}})
		var e Encoder
		column := e.AppendFrame(nil, h, payload, regions)
		checkFrame(t, column, payload)
		checkFrame(t, e.AppendFrameGeneral(nil, payload), payload)
		if again := e.AppendFrame(nil, h, payload, regions); !bytes.Equal(again, column) {
			t.Fatalf("second call: %s", describe(again, column))
		}
	})
}

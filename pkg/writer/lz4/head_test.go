package lz4

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"unsafe"

	"github.com/pierrec/lz4/v4"
)

// TestHeadTakesAnyValueInVariableSpans patches random integers of every width
// into a real head.
func TestHeadTakesAnyValueInVariableSpans(t *testing.T) {
	s := seedStreams(t, 16000, 1)[0]
	h := CompileHead(s.payload, s.headLen, s.variable)
	var e Encoder
	rng := rand.New(rand.NewPCG(1, 9))
	used := map[int]bool{}
	for i := range 3000 {
		payload := bytes.Clone(s.payload)
		width := 1 + rng.IntN(63)
		for _, v := range s.variable {
			if i%2 == 0 && allZero(s.payload[v.Off:v.Off+v.Len]) {
				continue
			}
			if width > 55 || rng.IntN(3) > 0 {
				binary.LittleEndian.PutUint64(payload[v.Off:], rng.Uint64()>>width)
			}
		}
		used[h.variantFor(unsafe.Pointer(unsafe.SliceData(payload)))] = true
		checkFrame(t, e.AppendFrame(nil, h, payload, s.regions), payload)
	}
	if len(used) != len(h.variants) {
		t.Errorf("only %d of %d variants were used", len(used), len(h.variants))
	}
}

// TestHeadThatDoesNotFit changes one constant byte, or cuts the payload short:
// the frame must be right without the head.
func TestHeadThatDoesNotFit(t *testing.T) {
	s := seedStreams(t, 16000, 1)[0]
	h := CompileHead(s.payload, s.headLen, s.variable)
	var e Encoder
	for i := range s.headLen {
		payload := bytes.Clone(s.payload)
		payload[i] ^= 0x40
		checkFrame(t, e.AppendFrame(nil, h, payload, s.regions), payload)
	}
	for n := range s.headLen + 40 {
		checkFrame(t, e.AppendFrame(nil, h, s.payload[:n], s.regions), s.payload[:n])
	}
}

// TestHeadIsOptional expects a smaller frame with a head than without, and the
// same rest.
func TestHeadIsOptional(t *testing.T) {
	s := seedStreams(t, 16000, 1)[0]
	var e Encoder
	with := e.AppendFrame(nil, CompileHead(s.payload, s.headLen, s.variable), s.payload, s.regions)
	without := e.AppendFrame(nil, nil, s.payload, s.regions)
	if len(with) >= len(without) {
		t.Errorf("frame of %d bytes with a head, %d without", len(with), len(without))
	}
	checkFrame(t, without, s.payload)
}

// TestHeadParseIsAtLeastAsShortAsHC compares the parse of a whole head, all
// bytes constant, with the library's strongest level.
func TestHeadParseIsAtLeastAsShortAsHC(t *testing.T) {
	for _, s := range append(seedStreams(t, 16000, 1), typeStreams(t, columnTypes()[0], 180, 1)...) {
		var out bytes.Buffer
		w := lz4.NewWriter(&out)
		if err := w.Apply(lz4.CompressionLevelOption(lz4.Level9), lz4.ChecksumOption(false)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(w, bytes.NewReader(s.payload[:s.headLen])); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		var v variant
		v.compile(CompileHead(s.payload, s.headLen, nil), 0)
		ours := len(v.encoded) + 1 + s.headLen - v.covered
		if theirs := out.Len() - 15; ours > theirs {
			t.Errorf("head of %d bytes: %d, level 9 %d", s.headLen, ours, theirs)
		}
	}
}

// TestParseIsShortest compares with every possible parse of tiny inputs.
func TestParseIsShortest(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 400 {
		src := make([]byte, 1+rng.IntN(60))
		mask := make([]byte, len(src))
		for i := range src {
			src[i] = byte(rng.IntN(2))
			mask[i] = byte(min(rng.IntN(20), 1))
		}
		got := 0
		anchor := 0
		for _, s := range parse(src, mask) {
			lit, n := s.start-anchor, s.end-s.start-4
			got += 3 + lit + lengthBytes(lit) + lengthBytes(n)
			anchor = s.end
		}
		got += len(src) - anchor + lengthBytes(len(src)-anchor)
		if want := shortest(src, mask); got > want+1 {
			t.Errorf("% x: %d bytes, %d is possible", src, got, want)
		}
	}
}

// shortest is the exact cost of the best parse, by trying every literal run
// and every match from every position.
func shortest(src, mask []byte) int {
	n := len(src)
	best := make([]int, n+1) // of src[i:], if a sequence starts at i
	for i := n; i >= 0; i-- {
		best[i] = n - i + lengthBytes(n-i)
		for s := i; s < n; s++ {
			lit := s - i
			for off := 1; off <= s; off++ {
				for k := 0; s+k < n && src[s+k] == src[s+k-off] && mask[s+k]&mask[s+k-off] != 0; k++ {
					if k >= 3 {
						best[i] = min(best[i], 3+lit+lengthBytes(lit)+lengthBytes(k-3)+best[s+k+1])
					}
				}
			}
		}
	}
	return best[0]
}

// TestHeadOfStrangeSpans compiles heads whose spans are empty, unordered,
// overlapping or outside.
func TestHeadOfStrangeSpans(t *testing.T) {
	payload := contents["ascending"](2000)
	var e Encoder
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var spans []Span
		for range rng.IntN(6) {
			spans = append(spans, Span{Off: rng.IntN(600) - 50, Len: rng.IntN(40) - 3})
		}
		h := CompileHead(payload, rng.IntN(3000)-200, spans)
		checkFrame(t, e.AppendFrame(nil, h, payload, nil), payload)
	}
}

// TestHeadIsSafeForConcurrentUse compiles its variants from several
// goroutines at once.
func TestHeadIsSafeForConcurrentUse(t *testing.T) {
	s := seedStreams(t, 16000, 1)[0]
	h := CompileHead(s.payload, s.headLen, s.variable)
	frames := make([][]byte, 8)
	var wg sync.WaitGroup
	for i := range frames {
		wg.Go(func() {
			var e Encoder
			frames[i] = e.AppendFrame(nil, h, s.payload, s.regions)
		})
	}
	wg.Wait()
	for _, f := range frames {
		if !bytes.Equal(f, frames[0]) {
			t.Fatal("frames differ")
		}
	}
	checkFrame(t, frames[0], s.payload)
}

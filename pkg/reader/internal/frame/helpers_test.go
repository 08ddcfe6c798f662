package frame

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// watched is an allocator that knows the most that was asked of it at once.
type watched struct {
	memory.CheckedAllocator
	most int
}

func newWatched() *watched {
	return &watched{CheckedAllocator: *memory.NewCheckedAllocator(memory.NewGoAllocator())}
}

func (w *watched) Allocate(n int) []byte {
	w.most = max(w.most, n)
	return w.CheckedAllocator.Allocate(n)
}

func newDecoder(tb testing.TB) (*Decoder, *watched) {
	tb.Helper()
	w := newWatched()
	d := &Decoder{Limit: 1 << 30, Small: 64 << 10, Alloc: w}
	tb.Cleanup(func() {
		d.Close()
		w.AssertSize(tb, 0)
	})
	return d, w
}

// decode decodes a frame and gives back what was allocated.
func decode(d *Decoder, c shufflefile.Codec, b []byte) ([]byte, error) {
	p, err := d.Decode(c, b)
	if err != nil {
		return nil, err
	}
	out := bytes.Clone(p.Bytes)
	if p.Owned != nil {
		d.Alloc.Free(p.Owned)
	}
	return out, nil
}

// samples are contents of many sizes and kinds.
func samples() map[string][]byte {
	rng := rand.New(rand.NewPCG(1, 2))
	random := make([]byte, 150_000)
	for i := range random {
		random[i] = byte(rng.Uint32())
	}
	var ints, stride12 []byte
	for i := range 20_000 {
		ints = binary.LittleEndian.AppendUint64(ints, uint64(i*17+i%3))
		stride12 = append(stride12, byte(i), byte(i>>8), 0, 0, 0, 1, 2, 3, byte(i%5), 9, 9, 9)
	}
	text := []byte(strings.Repeat("das Pferd frißt keinen Gurkensalat ", 3800))
	out := map[string][]byte{
		"empty": {}, "one": {7}, "zeros": make([]byte, 200_000), "random": random, "ints": ints, "stride 12": stride12, "text": text,
		"64 KiB": ints[:64<<10], "64 KiB + 1": ints[:64<<10+1], "128 KiB": text[:128<<10],
		"mixed": append(append(bytes.Clone(random[:1000]), ints[:3000]...), text[:1000]...),
	}
	for n := range 40 {
		out[strings.Repeat("x", n)+" small"] = text[:n]
	}
	return out
}

func lz4Frame1(tb testing.TB, content []byte, opts ...lz4.Option) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := lz4.NewWriter(&b)
	if err := w.Apply(append([]lz4.Option{lz4.ChecksumOption(false), lz4.BlockSizeOption(lz4.Block64Kb)}, opts...)...); err != nil {
		tb.Fatal(err)
	}
	finish(tb, w, content)
	return b.Bytes()
}

func finish(tb testing.TB, w io.WriteCloser, content []byte) {
	tb.Helper()
	if _, err := w.Write(content); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
}

func zstdFrame1(tb testing.TB, content []byte, opts ...zstd.EOption) []byte {
	tb.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, append([]zstd.EOption{zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true)}, opts...)...)
	if err != nil {
		tb.Fatal(err)
	}
	finish(tb, w, content)
	return b.Bytes()
}

func snappyFrame1(tb testing.TB, content []byte) []byte {
	tb.Helper()
	var b bytes.Buffer
	finish(tb, snappy.NewBufferedWriter(&b), content)
	if b.Len() == 0 {
		return []byte(snappyMagic)
	}
	return b.Bytes()
}

// wantError wants a *shufflefile.Error of a class whose text has a part.
func wantError(t *testing.T, err, class error, part string) {
	t.Helper()
	var e *shufflefile.Error
	switch {
	case !errors.As(err, &e) || !errors.Is(err, class):
		t.Errorf("error %v (%T), want one of class %v", err, err, class)
	case !strings.Contains(err.Error(), part):
		t.Errorf("error %q, want %q in it", err, part)
	}
}

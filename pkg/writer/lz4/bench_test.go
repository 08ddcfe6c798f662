package lz4

import (
	"bytes"
	"errors"
	"testing"

	"github.com/pierrec/lz4/v4"
)

// encoders are the ways to write a block's frame, by name. A call appends the
// frame of a stream to dst and returns it.
func encoders(tb testing.TB, h *Head) map[string]func(dst []byte, s *stream) []byte {
	var column, general Encoder
	var buffer bytes.Buffer
	w := lz4.NewWriter(&buffer)
	if err := w.Apply(lz4.BlockSizeOption(lz4.Block256Kb), lz4.ChecksumOption(false)); err != nil {
		tb.Fatal(err)
	}
	return map[string]func(dst []byte, s *stream) []byte{
		"column":  func(dst []byte, s *stream) []byte { return column.AppendFrame(dst, h, s.payload, s.regions) },
		"general": func(dst []byte, s *stream) []byte { return general.AppendFrameGeneral(dst, s.payload) },
		"pierrec": func(dst []byte, s *stream) []byte {
			buffer.Reset()
			w.Reset(&buffer)
			_, err := w.Write(s.payload)
			if err := errors.Join(err, w.Close()); err != nil {
				tb.Fatal(err)
			}
			return append(dst, buffer.Bytes()...)
		},
	}
}

var encoderNames = []string{"column", "general", "pierrec"}

// workload is a set of blocks that share a head.
type workload struct {
	name string
	make func(tb testing.TB) []stream
}

// workloads are the blocks of the seed fixture: 16,000 blocks of 180 rows, 200
// of 14,400, and the 1.2 million of the ranges engine.
func workloads() []workload {
	return []workload{
		{"16000p", func(tb testing.TB) []stream { return seedStreams(tb, 16000, 64) }},
		{"200p", func(tb testing.TB) []stream { return seedStreams(tb, 200, 6) }},
		{"ranges", func(tb testing.TB) []stream { return rangesStreams(tb, 512) }},
	}
}

func BenchmarkFrame(b *testing.B) {
	for _, w := range workloads() {
		streams := w.make(b)
		ways := encoders(b, streams[0].head())
		for _, name := range encoderNames {
			b.Run(w.name+"/"+name, func(b *testing.B) {
				dst, size, in := make([]byte, 0, 1<<20), 0, 0
				for i := range streams {
					size += len(ways[name](dst, &streams[i]))
					in += len(streams[i].payload)
				}
				b.SetBytes(int64(in / len(streams)))
				b.ReportAllocs()
				b.ResetTimer()
				for i := range b.N {
					ways[name](dst, &streams[i%len(streams)])
				}
				b.ReportMetric(float64(size)/float64(len(streams)), "B/block")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/block")
			})
		}
	}
}

// head compiles the stream's head.
func (s *stream) head() *Head { return CompileHead(s.payload, s.headLen, s.variable) }

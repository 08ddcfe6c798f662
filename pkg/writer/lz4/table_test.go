//go:build linux

package lz4

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

var tableFile = flag.String("table", "", "measure the encoders by column type and write a Markdown table to this file")

// cpuTime is the calling thread's processor time in nanoseconds. Unlike the
// clock it does not count the time that other processes take.
func cpuTime(t testing.TB) int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		t.Fatal(err)
	}
	return ts.Nano()
}

// measured is the mean size and the median time of a block.
type measured struct{ payload, bytes, nanos float64 }

// measure runs the encoders in alternation over the streams.
func measure(t testing.TB, streams []stream, rounds int) map[string]measured {
	ways, out := encoders(t, streams[0].head()), map[string]measured{}
	dst, n := make([]byte, 0, 4<<20), float64(len(streams))
	times, in := map[string][]float64{}, 0
	for round := range rounds {
		for _, name := range encoderNames {
			size, way := 0, ways[name]
			in = 0
			start := cpuTime(t)
			for i := range streams {
				size += len(way(dst, &streams[i]))
				in += len(streams[i].payload)
			}
			if took := float64(cpuTime(t) - start); round > 0 { // the first round warms up
				times[name] = append(times[name], took/n)
			}
			out[name] = measured{payload: float64(in) / n, bytes: float64(size) / n}
		}
	}
	for name, m := range out {
		slices.Sort(times[name])
		m.nanos = times[name][len(times[name])/2]
		out[name] = m
	}
	return out
}

// TestWriteTable measures and writes the table of docs/design/lz4.md.
func TestWriteTable(t *testing.T) {
	if *tableFile == "" {
		t.Skip("no -table")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var b strings.Builder
	header := "| %s | payload | column | general | pierrec | column | general | pierrec |\n|---|--:|--:|--:|--:|--:|--:|--:|\n"
	fmt.Fprintf(&b, header, "blocks of")
	for _, w := range workloads() {
		writeRow(&b, w.name, measure(t, w.make(t), 60))
	}
	for _, rows := range []int{180, 14400} {
		fmt.Fprintf(&b, "\n"+header, fmt.Sprintf("%d rows of", rows))
		for _, c := range columnTypes() {
			writeRow(&b, c.name, measure(t, typeStreams(t, c, rows, max(6, 36000/rows)), 30))
		}
	}
	if err := os.WriteFile(*tableFile, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func writeRow(b *strings.Builder, name string, m map[string]measured) {
	fmt.Fprintf(b, "| %s | %.0f |", name, m["column"].payload)
	for _, e := range encoderNames {
		fmt.Fprintf(b, " %.0f |", m[e].bytes)
	}
	for _, e := range encoderNames {
		fmt.Fprintf(b, " %.2f |", m[e].nanos/1000)
	}
	b.WriteByte('\n')
}

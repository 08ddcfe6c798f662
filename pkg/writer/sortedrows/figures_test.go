//go:build unix

package sortedrows

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shufflebench/shufflebench/pkg/metrics"
)

var (
	figuresDir = flag.String("figures", "", "directory for the measured figures of both shapes of call; nothing is measured without it")
	rounds     = flag.Int("rounds", 15, "rounds of TestFigures, each with one spill of every kind")
)

// sample is one timed spill.
type sample struct {
	partitions, round int
	calls             string
	wall, cpu         time.Duration
	bytes, blocks     int64
}

// TestFigures measures what docs/design/sorted-rows.md shows: one spill of
// 100,000 rows with one call a partition and with one call, in alternation, the
// order turned every round. It writes every sample, the machine and a summary.
//
//	go test ./pkg/writer/sortedrows -run '^TestFigures$' -figures ../../../results/sorted-rows
func TestFigures(t *testing.T) {
	if *figuresDir == "" {
		t.Skip("no -figures directory")
	}
	var all []sample
	for _, partitions := range benchPartitions {
		all = append(all, measure(t, partitions)...)
	}
	write := func(name string, b []byte) {
		if err := os.WriteFile(filepath.Join(*figuresDir, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	machine, err := json.MarshalIndent(struct {
		Machine metrics.Machine `json:"machine"`
		Build   metrics.Build   `json:"build"`
	}{metrics.ReadMachine(os.TempDir()), metrics.ReadBuild()}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	write("rows.csv", rowsCSV(all))
	write("machine.json", append(machine, '\n'))
	write("summary.md", summary(all))
}

// measure makes all samples of one partition count, after one round to warm up.
func measure(t *testing.T, partitions int) []sample {
	h, src := benchHeap(t, partitions)
	shapes := map[string]*bencher{
		"per-spill":     newBencher(t, h, src, partitions, true),
		"per-partition": newBencher(t, h, src, partitions, false),
	}
	var all []sample
	order := []string{"per-partition", "per-spill"}
	for round := range *rounds + 1 {
		for _, calls := range order {
			s := timed(t, shapes[calls])
			s.partitions, s.calls, s.round = partitions, calls, round
			if round > 0 {
				all = append(all, s)
			}
		}
		slices.Reverse(order)
	}
	return all
}

// timed makes one spill, beginning with a collected heap.
func timed(t *testing.T, b *bencher) sample {
	runtime.GC()
	made := b.shape.Made()
	cpu, start := cpuTime(t), time.Now()
	if err := b.spill(); err != nil {
		t.Fatal(err)
	}
	s := sample{wall: time.Since(start), cpu: cpuTime(t) - cpu, blocks: b.shape.Made() - made}
	for _, n := range b.sink.lengths {
		s.bytes += n
	}
	return s
}

// cpuTime is what all threads of the process have used, the collector's too.
func cpuTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func rowsCSV(all []sample) []byte {
	var s strings.Builder
	s.WriteString("partitions,calls,round,wall_secs,cpu_secs,output_bytes,blocks\n")
	for _, x := range all {
		fmt.Fprintf(&s, "%d,%s,%d,%.6f,%.6f,%d,%d\n", x.partitions, x.calls, x.round, x.wall.Seconds(), x.cpu.Seconds(), x.bytes, x.blocks)
	}
	return []byte(s.String())
}

// median of one figure of the samples of one kind.
func median(all []sample, partitions int, calls string, figure func(sample) time.Duration) time.Duration {
	var list []time.Duration
	for _, x := range all {
		if x.partitions == partitions && x.calls == calls {
			list = append(list, figure(x))
		}
	}
	slices.Sort(list)
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}

func summary(all []sample) []byte {
	var s strings.Builder
	fmt.Fprintf(&s, "Medians of %d rounds; 100,000 rows of (int64, int32, float64, utf8, date32), lz4, Adler-32, one spill.\n", *rounds)
	for _, x := range []struct {
		what   string
		figure func(sample) time.Duration
	}{
		{"wall time", func(x sample) time.Duration { return x.wall }},
		{"processor time", func(x sample) time.Duration { return x.cpu }},
	} {
		fmt.Fprintf(&s, "\n| partitions | %s, one call a partition | one call a spill | ratio | one call a spill, a partition |\n|---|---|---|---|---|\n", x.what)
		for _, p := range benchPartitions {
			slow, fast := median(all, p, "per-partition", x.figure), median(all, p, "per-spill", x.figure)
			fmt.Fprintf(&s, "| %d | %.1f ms | %.1f ms | %.3f | %.2f us |\n", p, 1e3*slow.Seconds(), 1e3*fast.Seconds(),
				fast.Seconds()/slow.Seconds(), 1e6*fast.Seconds()/float64(p))
		}
	}
	return []byte(s.String())
}

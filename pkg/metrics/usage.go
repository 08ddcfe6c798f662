package metrics

import (
	"runtime/metrics"
	"sync"
	"time"
)

// Usage is what a process used between Watch and Stop, and its peak memory
// over its whole life.
type Usage struct {
	MaxRSS    int64         // bytes; 0 if the system does not tell
	UserCPU   time.Duration // user mode, garbage collection included
	SystemCPU time.Duration
	HeapPeak  int64 // bytes; largest sample of the Go heap
	Allocated int64 // bytes allocated on the heap
	GCCycles  int64
}

// SampleEvery is how often Watch looks at the heap.
const SampleEvery = 10 * time.Millisecond

// Watcher measures a stretch of a process's life.
type Watcher struct {
	stop chan struct{}
	done sync.WaitGroup
	from counters
	peak int64
}

// Watch starts to measure. The process's peak memory cannot be reset, so a
// process should measure once, and do little else.
func Watch() *Watcher {
	w := &Watcher{stop: make(chan struct{}), from: readCounters()}
	w.done.Go(w.sample)
	return w
}

func (w *Watcher) sample() {
	tick := time.NewTicker(SampleEvery)
	defer tick.Stop()
	sample := []metrics.Sample{{Name: heapMetric}}
	for {
		metrics.Read(sample)
		w.peak = max(w.peak, int64(sample[0].Value.Uint64()))
		select {
		case <-w.stop:
			return
		case <-tick.C:
		}
	}
}

// Stop ends the stretch. It must be called once.
func (w *Watcher) Stop() Usage {
	rss := peakRSS()
	now := readCounters()
	close(w.stop)
	w.done.Wait()
	return Usage{
		MaxRSS:    rss,
		UserCPU:   now.user - w.from.user,
		SystemCPU: now.system - w.from.system,
		HeapPeak:  w.peak,
		Allocated: int64(now.allocated - w.from.allocated),
		GCCycles:  int64(now.cycles - w.from.cycles),
	}
}

const (
	heapMetric  = "/memory/classes/heap/objects:bytes"
	allocMetric = "/gc/heap/allocs:bytes"
	cycleMetric = "/gc/cycles/total:gc-cycles"
)

type counters struct {
	user, system      time.Duration
	allocated, cycles uint64
}

func readCounters() (c counters) {
	s := []metrics.Sample{{Name: allocMetric}, {Name: cycleMetric}}
	metrics.Read(s)
	c.allocated, c.cycles = s[0].Value.Uint64(), s[1].Value.Uint64()
	c.user, c.system = cpuTimes()
	return c
}

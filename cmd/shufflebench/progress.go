package main

import (
	"fmt"
	"sync"
	"time"
)

// progress is one line on a terminal that says what is going on. Elsewhere it
// says nothing. It belongs to the driver, never to a process that is measured.
type progress struct {
	st    *state
	mu    sync.Mutex
	text  string
	since time.Time
	done  chan struct{}
	gone  sync.WaitGroup
}

const redrawEvery = 200 * time.Millisecond

func (st *state) newProgress() *progress {
	p := &progress{st: st, since: st.now(), done: make(chan struct{})}
	if st.stderr.tty && st.env("TERM") != "dumb" {
		p.gone.Go(p.draw)
	}
	return p
}

// step says what begins.
func (p *progress) step(run, runs int, what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = fmt.Sprintf("run %d of %d: %s", run, runs, what)
}

func (p *progress) draw() {
	tick := time.NewTicker(redrawEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.done:
			fmt.Fprint(p.st.stderr, "\r\x1b[K")
			return
		case <-tick.C:
			p.mu.Lock()
			fmt.Fprintf(p.st.stderr, "\r\x1b[K%s  %s", p.text, p.st.now().Sub(p.since).Round(time.Second))
			p.mu.Unlock()
		}
	}
}

// stop clears the line.
func (p *progress) stop() {
	close(p.done)
	p.gone.Wait()
}

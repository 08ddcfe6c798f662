package compare

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/internal/stats"
)

// Outline is a comparison before it is made: what --dry-run shows.
type Outline struct {
	Sides []string // one line each
	Cases []CaseOutline
	Runs  int
	Disk  int64 // most bytes that one run and its proof may hold
	Time  time.Duration
	Out   string
}

// CaseOutline is one case of an Outline.
type CaseOutline struct {
	Name    string
	Command string // of head
	Run     time.Duration
	Disk    int64
}

// Draft works out what Run would do, and makes nothing but, for a tree with
// changes, a commit that belongs to no branch.
func Draft(ctx context.Context, cfg Config, self Self) (*Outline, error) {
	cfg.EnsureDefaults()
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	sides := &variants{cfg: &cfg, self: &self, hooks: &Hooks{}}
	if err := sides.resolve(ctx); err != nil {
		return nil, err
	}
	if err := sides.early(); err != nil {
		return nil, err
	}
	o := &Outline{Out: cfg.Out}
	var last *variant
	for _, side := range sides.sides() {
		v, err := sides.plan(side)
		if err != nil {
			return nil, err
		}
		if v.template == nil {
			v.exe = "shufflebench"
		}
		o.Sides = append(o.Sides, outlineOf(v, sides.ids[side]))
		last = v
	}
	perCase := len(sides.sides()) * (cfg.Warmups + cfg.Rounds)
	for i := range cfg.Cases {
		c := &cfg.Cases[i]
		if err := o.add(&cfg, last, c); err != nil {
			return nil, err
		}
		o.Runs += perCase
		o.Time += time.Duration(perCase) * (o.Cases[i].Run + cfg.CoolDown + overhead)
	}
	return o, nil
}

func outlineOf(v *variant, id *commit) string {
	s := fmt.Sprintf("%s: %s", v.Side, v.Label())
	if id != nil {
		s += fmt.Sprintf(" (%s)", id.subject)
	}
	return s
}

func (o *Outline) add(cfg *Config, v *variant, c *Case) error {
	if v.template != nil {
		v.built = &built{Commit: v.Revision, dir: "CACHE"}
	}
	words, err := v.command(c, placesIn("RUN", cfg.Input.Path))
	if err != nil {
		return &UsageError{err}
	}
	run, disk := guess(cfg, v, c)
	o.Cases = append(o.Cases, CaseOutline{Name: c.Name, Command: report.CommandLine(words), Run: run, Disk: disk})
	o.Disk = max(o.Disk, disk)
	return nil
}

// The guess of a run rests on what a run costs on a middling machine; it is
// replaced by what is measured as soon as runs end.
const (
	rowCost   = 70 * time.Nanosecond // a row and task
	blockCost = 3 * time.Microsecond // a block
	blockSize = 350                  // bytes of a block without rows
	overhead  = 400 * time.Millisecond
	cores     = 2
)

// guess estimates a run's time and disk space: rows are written once, spilled
// at most once more, and sit in one block a partition and spill at worst.
func guess(cfg *Config, v *variant, c *Case) (time.Duration, int64) {
	number := func(key string) float64 {
		n, err := strconv.ParseFloat(v.effective(c, key), 64)
		if err != nil {
			return 0
		}
		return n
	}
	rows, tasks := float64(cfg.Input.Rows), max(number(optTasks), 1)
	if limit := number("limit"); limit > 0 {
		rows = min(rows, limit)
	}
	batches := math.Ceil(rows / max(number("batch-size"), 1))
	blocks := min(number(optPartitions), rows)
	if v.effective(c, "max-buffer-bytes") != "" || v.effective(c, "memory-limit") != "" {
		blocks = min(blocks*batches, rows)
	}
	bytesPerRow := 2 * float64(cfg.Input.Bytes) / max(float64(cfg.Input.Rows), 1)
	secs := (rows*rowCost.Seconds() + blocks*blockCost.Seconds()) * max(tasks/cores, 1)
	disk := (2*rows*bytesPerRow + blocks*blockSize) * tasks
	return time.Duration(secs * float64(time.Second)), int64(disk)
}

// Print writes the outline for people.
func (o *Outline) Print(w io.Writer, rounds, warmups int, thresholds string) error {
	var b strings.Builder
	for _, s := range o.Sides {
		fmt.Fprintln(&b, s)
	}
	fmt.Fprintf(&b, "%d warm-up a side and case, %d rounds (%s), thresholds %s\n", warmups, rounds, orderText(rounds), thresholds)
	for _, c := range o.Cases {
		fmt.Fprintf(&b, "  %s: about %s a run, up to %s on disk\n      %s\n", c.Name, roughly(c.Run), humanize.IBytes(uint64(c.Disk)), c.Command)
	}
	fmt.Fprintf(&b, "%d runs, about %s in all (a rough guess); up to %s on disk at a time; results in %s\n",
		o.Runs, roughly(o.Time), humanize.IBytes(uint64(o.Disk)), o.Out)
	_, err := io.WriteString(w, b.String())
	return err
}

// orderText shows how the first rounds run.
func orderText(rounds int) string {
	var parts []string
	for r := 1; r <= min(rounds, 3); r++ {
		first := stats.Base
		if r%2 == 0 {
			first = stats.Head
		}
		parts = append(parts, fmt.Sprintf("%s first", first))
	}
	if rounds > 3 {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
}

func roughly(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d < time.Minute:
		return d.Round(time.Second / 10).String()
	}
	return d.Round(time.Second).String()
}

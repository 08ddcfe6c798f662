package compare

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/internal/stats"
	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// savedFile is head's rows of one comparison, kept for a later one.
type savedFile struct {
	Version int             `json:"saved_version"`
	Started time.Time       `json:"started"`
	Machine metrics.Machine `json:"machine"`
	Input   report.Input    `json:"input"`
	Variant report.Variant  `json:"variant"`
	Cases   []savedCase     `json:"cases"`
}

type savedCase struct {
	Options []report.Option `json:"options"`
	Rows    []*metrics.Row  `json:"rows"`
}

const savedVersion = 1

// readSaved reads the file of saved rows, if one is asked for, and refuses what
// cannot be compared.
func (d *driver) readSaved() error {
	if d.cfg.Baseline == "" {
		return nil
	}
	s, err := loadSaved(d.cfg.Baseline)
	if err != nil {
		return err
	}
	if s.Input.SHA256 != d.cfg.Input.SHA256 {
		return usage("baseline: the rows in %s were measured with another input (%d rows, %s)", d.cfg.Baseline, s.Input.Rows, s.Input.Path)
	}
	here := metrics.ReadMachine("")
	if diff := otherMachine(&s.Machine, &here); diff != "" && !d.cfg.OtherMachine {
		return usage("baseline: %s was measured on another machine (%s); --other-machine compares all the same", d.cfg.Baseline, diff)
	}
	d.saved = s
	return nil
}

func loadSaved(name string) (*savedFile, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	s := new(savedFile)
	if err := json.Unmarshal(text, s); err != nil || s.Version < 1 {
		return nil, usage("baseline: %s holds no saved rows; --save makes such a file", name)
	}
	if s.Version > savedVersion {
		return nil, usage("baseline: %s has version %d, but this program knows only %d", name, s.Version, savedVersion)
	}
	return s, nil
}

// otherMachine says in what two machines differ, "" if they are alike.
func otherMachine(a, b *metrics.Machine) string {
	var diffs []string
	add := func(what string, x, y any) {
		if x != y {
			diffs = append(diffs, fmt.Sprintf("%s %v, here %v", what, x, y))
		}
	}
	add("processor", a.CPU, b.CPU)
	add("cores", a.CoresLogical, b.CoresLogical)
	add("GOMAXPROCS", a.GOMAXPROCS, b.GOMAXPROCS)
	add("system", a.OS+"/"+a.Arch, b.OS+"/"+b.Arch)
	add("memory in GiB", (a.Memory+1<<29)>>30, (b.Memory+1<<29)>>30)
	return strings.Join(diffs, "; ")
}

// has reports whether a case's rows were saved.
func (s *savedFile) has(c *Case) bool { return len(s.rows(c.Options())) > 0 }

// rows are the saved rows of the case with these options, whatever its name.
func (s *savedFile) rows(options []report.Option) []*metrics.Row {
	for i := range s.Cases {
		if slices.Equal(s.Cases[i].Options, options) {
			return s.Cases[i].Rows
		}
	}
	return nil
}

func (s *savedFile) origin(file string) *report.Saved {
	return &report.Saved{File: absolute(file), Started: s.Started, Machine: s.Machine}
}

// save writes head's rows to the file that is asked for.
func (d *driver) save() error {
	if d.cfg.Save == "" {
		return nil
	}
	s := savedFile{Version: savedVersion, Started: d.res.Started, Machine: d.res.Machine, Input: d.res.Input, Variant: d.res.Head}
	for _, rc := range d.res.Cases {
		rows := counting(rowsOf(d.res.Rows, rc.Name).head)
		if len(rows) > 0 {
			s.Cases = append(s.Cases, savedCase{rc.Options, rows})
		}
	}
	s.Variant.Side = stats.Head
	return replaceFile(d.cfg.Save, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", " ")
		return enc.Encode(&s)
	})
}

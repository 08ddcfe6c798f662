package compare

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// The files of a comparison's directory.
const (
	ResultFile   = "compare.json"
	SamplesFile  = "samples.csv"
	CommandsFile = "commands.sh"
	failedDir    = "failed"
	profilesDir  = "profiles"
	workName     = "work"
)

// store is the directory of a comparison that this process makes.
type store struct {
	dir  string
	work string // where the run under way writes
	csv  *report.CSV
	made bool // the directory itself
}

// openStore claims dir, which must hold no comparison yet. workDir is where
// the runs write, "" for below dir.
func openStore(dir, workDir string) (*store, error) {
	_, err := os.Stat(dir)
	s := &store{dir: dir, made: errors.Is(err, os.ErrNotExist)}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("result directory: %w", err)
	}
	for _, name := range []string{ResultFile, SamplesFile, workName} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return nil, usage("%s holds a comparison already; name another directory with --out", dir)
		}
	}
	if s.work, err = makeWork(dir, workDir); err != nil {
		return nil, fmt.Errorf("directory for the runs: %w", err)
	}
	if s.csv, err = report.OpenCSV(filepath.Join(dir, SamplesFile)); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.work))
	}
	return s, nil
}

func makeWork(dir, workDir string) (string, error) {
	if workDir != "" {
		return os.MkdirTemp(workDir, "shufflebench-compare-")
	}
	abs, err := filepath.Abs(filepath.Join(dir, workName))
	if err != nil {
		return "", err
	}
	return abs, os.Mkdir(abs, 0o777)
}

// keep writes the whole result, replacing what is there.
func (s *store) keep(c *report.Comparison) error {
	return replaceFile(filepath.Join(s.dir, ResultFile), c.JSON)
}

// replaceFile writes a file as a whole or not at all.
func replaceFile(name string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	if err = errors.Join(write(f), f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return os.Rename(f.Name(), name)
}

// close removes what the runs left, and the directory if nothing was measured.
func (s *store) close(empty bool) error {
	err := errors.Join(s.csv.Close(), os.RemoveAll(s.work))
	if empty {
		err = errors.Join(err, os.Remove(filepath.Join(s.dir, SamplesFile)), removeIfThere(filepath.Join(s.dir, ResultFile)))
		if s.made {
			_ = os.Remove(s.dir) // stays if something else is in it
		}
	}
	return err
}

func removeIfThere(name string) error {
	if err := os.Remove(name); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Load reads a comparison from its directory or its compare.json. Of one that
// was killed, the rows that it left are judged.
func Load(path string) (*report.Comparison, error) {
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		path = filepath.Join(path, ResultFile)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c := new(report.Comparison)
	if err := json.Unmarshal(text, c); err != nil || c.Version < 1 {
		return nil, fmt.Errorf("%s is no result of a comparison", path)
	}
	if c.Version > report.ComparisonVersion {
		return nil, fmt.Errorf("%s has version %d, but this program knows only %d", path, c.Version, report.ComparisonVersion)
	}
	if c.State != report.Running {
		return c, nil
	}
	if c.Rows, err = ReadRows(filepath.Join(filepath.Dir(path), SamplesFile)); err != nil {
		return nil, err
	}
	var saved *savedFile
	if c.Saved != nil {
		if saved, err = loadSaved(c.Saved.File); err != nil {
			return nil, err
		}
	}
	c.State = report.Interrupted
	c.Notes = append(c.Notes, "the comparison was killed, or is still under way; these are the rows so far")
	return c, judge(c, saved)
}

// ReadRows reads a CSV file of rows. An unfinished last line is left out.
func ReadRows(name string) ([]*metrics.Row, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if end := strings.LastIndexByte(string(text), '\n'); end >= 0 {
		text = text[:end+1]
	}
	r := csv.NewReader(strings.NewReader(string(text)))
	header, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("%s has no header of rows: %w", name, err)
	}
	var rows []*metrics.Row
	for {
		record, err := r.Read()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		row, err := metrics.ParseRecord(header, record)
		if err != nil {
			line, _ := r.FieldPos(0)
			return nil, fmt.Errorf("%s: line %d: %w", name, line, err)
		}
		rows = append(rows, row)
	}
}

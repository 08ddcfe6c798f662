package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

var seconds = regexp.MustCompile(`\d+\.\d{3} s`)

// faulty is a report with a changed, a misplaced and a lost row, under names that do not change.
func faulty(t *testing.T) *Report {
	t.Helper()
	src := seedRows(40)
	out := shuffle(t, src, 3, 8, shufflefile.None, 0)
	ids := idsOf(t, out)
	remake := func(list []int64) []byte {
		return encode(t, idBatch(src.schema, list, func(id int64) int64 {
			if id == ids[2][0][3] {
				return 1
			}
			return id*17 + 11
		}), shufflefile.None)
	}
	out[0][0] = remake(append([]int64{ids[1][0][0]}, ids[0][0]...))
	out[1][0] = remake(ids[1][0][2:])
	out[2][0] = remake(ids[2][0])
	p := out.files().write(t)
	r := prove(t, Options{Input: src, Pairs: []Pair{p}})
	for i := range r.Findings {
		f := &r.Findings[i]
		f.File = strings.ReplaceAll(f.File, p.Data, "data.out")
		for j := range f.Rows {
			f.Rows[j].File = strings.ReplaceAll(f.Rows[j].File, p.Data, "data.out")
		}
	}
	return r
}

// TestWriteText holds the text of a report to a golden file, which
// UPDATE_GOLDEN=1 writes anew.
func TestWriteText(t *testing.T) {
	var buf bytes.Buffer
	if err := faulty(t).WriteText(&buf); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/report.txt", seconds.ReplaceAllString(buf.String(), "0.000 s"))
}

// TestJSON does so for its JSON.
func TestJSON(t *testing.T) {
	r := faulty(t)
	r.Seconds = 0
	for i := range r.Checks {
		r.Checks[i].Seconds = 0
	}
	raw, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/report.json", string(raw)+"\n")
	var back Report
	if err := json.Unmarshal(raw, &back); err != nil || back.Findings[0].Place() != r.Findings[0].Place() {
		t.Errorf("read back: %v", err)
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s has changed:\n%s", name, got)
	}
}

// TestWriteTextFails: the writer's error comes through.
func TestWriteTextFails(t *testing.T) {
	full := errors.New("no space")
	for n := range 3 {
		if err := faulty(t).WriteText(&failing{n, full}); !errors.Is(err, full) {
			t.Errorf("after %d writes: %v", n, err)
		}
	}
}

// failing is a writer that takes a few writes.
type failing struct {
	left int
	err  error
}

func (f *failing) Write(p []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, f.err
	}
	return len(p), nil
}

// TestCollector keeps the first by place, and counts all.
func TestCollector(t *testing.T) {
	c := newCollector(3)
	for _, p := range []int{9, 4, 7, 1, 8, 2} {
		f := Finding{Kind: BlockFault, Count: 2, Message: "m"}
		f.at(shufflefile.Place{File: "f", Partition: p, Block: shufflefile.NoPlace, Offset: shufflefile.NoPlace})
		c.add(f)
	}
	c.note("b")
	c.note("a")
	c.note("b")
	var r Report
	c.fill(&r)
	if len(r.Findings) != 3 || *r.Findings[0].Partition != 1 || *r.Findings[2].Partition != 4 || r.Counts[BlockFault] != 12 ||
		len(r.Notes) != 2 || r.Notes[0] != "a" {
		t.Errorf("%+v", r)
	}
	if err := c.fault(BlockFault, errors.New("disk on fire")); err == nil {
		t.Error("an operational error became a finding")
	}
}

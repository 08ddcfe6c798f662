package segment

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/internal/oracle"
	"github.com/shufflebench/shufflebench/internal/oracle/random"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/internal/vfs"
)

const damagePartitions = 20

// stored is the bytes of a spill file with one segment, which begins behind
// something else.
type stored struct {
	layout *Layout
	bytes  []byte
	extent Extent
	counts int // where the counts begin
	want   string
	packed bool
}

func newStored(t testing.TB, seed uint64, packed bool, types ...arrow.DataType) *stored {
	g := random.New(seed)
	l := layoutOf(t, random.SchemaOf(types...))
	s := segmentOf(t, l, g.Batch(l.Schema, 60), place(g.R, 60, damagePartitions), damagePartitions)
	mem := vfs.NewMem()
	file := spillFile(t, mem, packed)
	if _, err := file.Append(segmentOf(t, l, g.Batch(l.Schema, 3), []uint32{0, 1, 2}, damagePartitions)); err != nil {
		t.Fatal(err)
	}
	e, err := file.Append(s)
	if err != nil {
		t.Fatal(err)
	}
	st := &stored{layout: l, bytes: make([]byte, file.Size()), extent: e, packed: packed}
	if err := file.readAt(st.bytes, 0); err != nil {
		t.Fatal(err)
	}
	st.counts = int(e.Pos+e.Len) - footerSize(l) - len(s.counts)
	if packed {
		x, err := file.Open(l, e)
		if err != nil {
			t.Fatal(err)
		}
		st.counts = int(x.counts.pos)
	}
	if st.want, err = st.read(t, mem, st.bytes); err != nil {
		t.Fatal(err)
	}
	return st
}

// read brings everything out of a spill file of the given bytes, as a merge
// would: counts, windows, and a segment made of each.
func (st *stored) read(t testing.TB, fs vfs.FS, b []byte) (string, error) {
	t.Helper()
	file, err := NewFile(fs, ".", st.packed)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.f.Write(b); err != nil {
		t.Fatal(err)
	}
	x, err := file.Open(st.layout, st.extent)
	if err != nil {
		return "", err
	}
	sources := []Source{x}
	planner, err := NewPlanner(st.layout, sources, damagePartitions, 7, 400)
	if err != nil {
		return "", err
	}
	var all []string
	var w Window
	for {
		more, err := planner.Next(&w)
		if err != nil || !more {
			return strings.Join(all, "\n"), err
		}
		if err := w.Load(sources); err != nil {
			return "", err
		}
		if _, err := w.Regroup(st.layout, nil); err != nil {
			return "", err
		}
		for _, p := range w.Parts {
			all = append(all, fmt.Sprint(p.Partition, p.Rows))
			for _, piece := range p.Pieces {
				all = append(all, oracle.Rows(batchFrom(st.layout, w.Views, int(piece.Lo), int(piece.Lo+piece.Rows)))...)
			}
		}
	}
}

// placed says that an error names the spill file and a place in it.
func (st *stored) placed(err error) bool {
	e, ok := errors.AsType[*shufflefile.Error](err)
	return ok && e.File == "spill" && e.Offset >= st.extent.Pos && e.Offset <= st.extent.Pos+st.extent.Len &&
		(errors.Is(err, shufflefile.ErrCorrupt) || errors.Is(err, io.ErrUnexpectedEOF))
}

var damageTypes = []arrow.DataType{
	arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, arrow.FixedWidthTypes.Boolean,
	arrow.ListOf(arrow.BinaryTypes.LargeBinary), arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int16),
	arrow.MapOf(arrow.BinaryTypes.String, arrow.ListOf(arrow.PrimitiveTypes.Int32)), arrow.Null,
}

// TestFlippedTail flips every bit of counts, chunk sizes and footer. What can
// be known to be wrong is an error; a flip that says nothing leaves all rows
// as they were; only a flip in the counts can move a row.
func TestFlippedTail(t *testing.T) {
	eachForm(t, func(t *testing.T, packed bool) {
		st := newStored(t, 1, packed, damageTypes...)
		mem := vfs.NewMem()
		footer := int(st.extent.Pos+st.extent.Len) - footerSize(st.layout)
		refused, moved := 0, 0
		step := len(st.bytes) / oracle.Rounds(len(st.bytes))
		for at := st.counts; at < len(st.bytes); at += step {
			for bit := range 8 {
				b := slices.Clone(st.bytes)
				b[at] ^= 1 << bit
				got, err := st.read(t, mem, b)
				switch {
				case err != nil && !st.placed(err):
					t.Fatalf("byte %d, bit %d: %v", at, bit, err)
				case err != nil:
					refused++
				case got != st.want && at >= footer:
					t.Fatalf("byte %d (%d of the footer), bit %d: other rows", at, at-footer, bit)
				case got != st.want:
					moved++
				}
			}
		}
		t.Logf("%d flips refused, %d moved rows", refused, moved)
		if refused < 8*(len(st.bytes)-footer)/step*9/10 {
			t.Errorf("only %d flips were refused", refused)
		}
	})
}

// TestFlippedBody flips bits of the buffers, offsets among them: an error or
// other values, and never more.
func TestFlippedBody(t *testing.T) {
	eachForm(t, func(t *testing.T, packed bool) {
		st := newStored(t, 2, packed, damageTypes...)
		mem := vfs.NewMem()
		refused := 0
		step := len(st.bytes) / oracle.Rounds(len(st.bytes))
		for at := int(st.extent.Pos); at < st.counts; at += step {
			b := slices.Clone(st.bytes)
			b[at] ^= []byte{0xff, 1 << (at / 2 % 8)}[at%2]
			if _, err := st.read(t, mem, b); err != nil {
				refused++
				if !st.placed(err) {
					t.Fatalf("byte %d: %v", at, err)
				}
			}
		}
		if refused == 0 {
			t.Error("no flip of an offset was refused")
		}
	})
}

// TestCut ends the file early, at every byte.
func TestCut(t *testing.T) {
	eachForm(t, func(t *testing.T, packed bool) {
		st := newStored(t, 3, packed, damageTypes...)
		mem := vfs.NewMem()
		step := len(st.bytes) / oracle.Rounds(len(st.bytes))
		for n := 0; n < len(st.bytes); n += step {
			_, err := st.read(t, mem, st.bytes[:n])
			if !st.placed(err) || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("%d of %d bytes: %v", n, len(st.bytes), err)
			}
			if !strings.Contains(err.Error(), "spill: offset ") {
				t.Fatalf("%d of %d bytes: %v", n, len(st.bytes), err)
			}
		}
	})
}

// TestFailingReads fails, shortens and truncates every read in turn.
func TestFailingReads(t *testing.T) {
	cause := errors.New("the disk is on fire")
	eachForm(t, func(t *testing.T, packed bool) {
		st := newStored(t, 4, packed, damageTypes[:4]...)
		for name, fault := range map[string]error{
			"fails": cause, "ends": vfs.Short(-1, nil), "is short": vfs.Short(-1, cause), "shrinks": vfs.Truncate(st.extent.Pos),
		} {
			for n := 0; ; n++ {
				fs := vfs.NewFaulty(vfs.NewMem())
				fs.FailKind(vfs.OpRead, n, fault)
				_, err := st.read(t, fs, st.bytes)
				if len(fs.Fired()) == 0 {
					if err != nil || n < 5 {
						t.Fatalf("after %d reads: %v", n, err)
					}
					break
				}
				op := fs.Fired()[0]
				if e, ok := errors.AsType[*shufflefile.Error](err); !ok || e.File != "spill" || e.Offset < op.Off {
					t.Fatalf("%s: %v: %v", name, op, err)
				}
				if fault == cause && !errors.Is(err, cause) {
					t.Fatalf("%s: %v: %v", name, op, err)
				}
			}
		}
	})
}

// TestFailingWrites: an error while spilling names the file.
func TestFailingWrites(t *testing.T) {
	eachForm(t, func(t *testing.T, packed bool) {
		mem := vfs.NewMem()
		file := spillFile(t, mem, packed)
		mem.Quota(100)
		g := random.New(1)
		l := layoutOf(t, random.SchemaOf(arrow.PrimitiveTypes.Int64))
		_, err := file.Append(segmentOf(t, l, g.Batch(l.Schema, 100), place(g.R, 100, 3), 3))
		if err == nil || !strings.Contains(err.Error(), "spill file: ") || !strings.Contains(err.Error(), "no space left") {
			t.Error(err)
		}
		if _, err := NewFile(mem, "no/such/dir", packed); err == nil || !strings.Contains(err.Error(), "no/such/dir") {
			t.Error(err)
		}
	})
}

// FuzzStored reads a spill file with any damage.
func FuzzStored(f *testing.F) {
	sts := []*stored{newStored(f, 5, false, damageTypes...), newStored(f, 5, true, damageTypes...)}
	f.Add(false, uint16(0), []byte{1})
	f.Add(true, uint16(10), []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, packed bool, fromEnd uint16, xor []byte) {
		st := sts[0]
		if packed {
			st = sts[1]
		}
		b := slices.Clone(st.bytes)
		at := max(0, len(b)-1-int(fromEnd))
		for i := range min(len(xor), len(b)-at) {
			b[at+i] ^= xor[i]
		}
		if _, err := st.read(t, vfs.NewMem(), b); err != nil {
			if _, ok := errors.AsType[*shufflefile.Error](err); !ok {
				t.Fatalf("no place: %v", err)
			}
		}
	})
}

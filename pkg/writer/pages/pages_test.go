package pages

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

func TestPointer(t *testing.T) {
	for _, c := range []struct {
		partition    uint32
		page, offset int
		want         Pointer
	}{
		{0, 0, 0, 0},
		{1, 0, 0, 1 << 40},
		{0, 1, 0, 1 << 27},
		{0, 0, 1, 1},
		{MaxPartitions - 1, MaxPages - 1, MaxPageSize - 1, 1<<64 - 1},
		{0x123456, 0x0abc, 0x07654320, 0x1234560000000000 | 0x0abc<<27 | 0x07654320},
	} {
		p := Pack(c.partition, c.page, c.offset)
		if p != c.want || p.Partition() != c.partition || p.Page() != c.page || p.Offset() != c.offset {
			t.Errorf("%d, %d, %d became %#x: %s", c.partition, c.page, c.offset, uint64(p), p)
		}
	}
}

// TestStore inserts rows of many sizes and finds each again, in pages that are
// drawn in the package comment.
func TestStore(t *testing.T) {
	for _, length := range []int{4, 8} {
		s, err := NewStore(MinPageSize, length)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, uint64(length)))
		for round := range 3 {
			want := fill(t, s, r, 500)
			sorted := s.Sort()
			slices.SortStableFunc(want, func(a, b filled) int { return cmp.Compare(a.partition, b.partition) })
			for i, w := range want {
				got, err := s.Row(sorted[i])
				if err != nil || !bytes.Equal(got, w.row) || sorted[i].Partition() != w.partition {
					t.Fatalf("round %d, row %d: %v, % x, want % x", round, i, err, got, w.row)
				}
				if (sorted[i].Offset()+length)%8 != 0 {
					t.Fatalf("row at %d is not aligned", sorted[i].Offset()+length)
				}
			}
			if s.Rows() != 500 || s.Bytes() < 16*500+MinPageSize*int64(s.Len()) {
				t.Errorf("%d rows, %d pages, %d bytes", s.Rows(), s.Len(), s.Bytes())
			}
			s.Reset()
			if s.Rows() != 0 || s.Len() != 0 || s.Bytes() != 0 {
				t.Errorf("after Reset: %d rows, %d pages, %d bytes", s.Rows(), s.Len(), s.Bytes())
			}
		}
	}
}

type filled struct {
	partition uint32
	row       []byte
}

func fill(t *testing.T, s *Store, r *rand.Rand, n int) []filled {
	t.Helper()
	var all []filled
	for range n {
		size := 8 * r.IntN(30)
		if r.IntN(50) == 0 {
			size = 8 * r.IntN(2000) // up to four pages
		}
		f := filled{uint32(r.IntN(7)), make([]byte, size)}
		for i := range f.row {
			f.row[i] = byte(r.Uint32())
		}
		room, err := s.Insert(f.partition, size)
		if err != nil {
			t.Fatal(err)
		}
		if copy(room, f.row) != size || cap(room) != size {
			t.Fatalf("room of %d for %d", cap(room), size)
		}
		all = append(all, f)
	}
	return all
}

func TestStoreReusesMemory(t *testing.T) {
	s, _ := NewStore(MinPageSize, 4)
	round := func() {
		for i := range 1000 {
			if _, err := s.Insert(uint32(i%5), 64); err != nil {
				t.Fatal(err)
			}
		}
		s.Sort()
		s.Reset()
	}
	round()
	round()
	if n := testing.AllocsPerRun(5, round); n != 0 {
		t.Errorf("%v allocations a round", n)
	}
}

func TestStoreRefuses(t *testing.T) {
	if _, err := NewStore(DefaultPageSize, 2); !errors.Is(err, ErrLengthSize) {
		t.Errorf("length size 2: %v", err)
	}
	for _, size := range []int{0, MinPageSize - 8, MinPageSize + 1, MaxPageSize + 8} {
		if _, err := NewStore(size, 4); err == nil {
			t.Errorf("page size %d was taken", size)
		}
	}
	s, _ := NewStore(MinPageSize, 8)
	if _, err := s.Insert(0, MaxPageSize); !errors.Is(err, shufflefile.ErrLimit) {
		t.Errorf("row of a page's size: %v", err)
	}
	for range MaxPages {
		if _, err := s.Insert(0, MinPageSize-8); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Insert(0, 8); !errors.Is(err, ErrFull) {
		t.Errorf("page %d: %v", MaxPages, err)
	}
	if s.Rows() != MaxPages {
		t.Errorf("%d rows", s.Rows())
	}
	s.Reset()
	if _, err := s.Insert(0, 8); err != nil {
		t.Errorf("after Reset: %v", err)
	}
}

func TestTableRefuses(t *testing.T) {
	if _, err := NewTable(5); !errors.Is(err, ErrLengthSize) {
		t.Errorf("length size 5: %v", err)
	}
	for _, length := range []int{4, 8} {
		page := make([]byte, 64)
		binary.LittleEndian.PutUint32(page[8:], 48) // of 64-8-4 = 52
		binary.LittleEndian.PutUint32(page[16:], 1000)
		binary.LittleEndian.PutUint32(page[24:], 0xffffffff)
		binary.LittleEndian.PutUint32(page[28:], 0xffffffff)
		table, err := NewTable(length, page, nil)
		if err != nil || table.Len() != 2 || table.LengthSize() != length {
			t.Fatal(err)
		}
		if row, err := table.Row(Pack(3, 0, 8)); err != nil || len(row) != 48 {
			t.Errorf("a good row: %d bytes, %v", len(row), err)
		}
		for p, want := range map[Pointer]error{
			Pack(1, 1, 0):                     ErrPage, // nil
			Pack(1, 2, 0):                     ErrPage,
			Pack(1, MaxPages-1, 0):            ErrPage,
			Pack(1, 0, 16):                    ErrOffset, // runs past the page
			Pack(1, 0, 24):                    ErrOffset, // 2^32-1, or 2^64-1, bytes
			Pack(1, 0, 64-length+1):           ErrOffset, // a part of the length
			Pack(1, 0, 64):                    ErrOffset,
			Pack(MaxPartitions-1, 0, 1<<27-1): ErrOffset,
		} {
			var at *PointerError
			if _, err := table.Row(p); !errors.Is(err, want) || !errors.Is(err, shufflefile.ErrCorrupt) || !errors.As(err, &at) || at.Pointer != p {
				t.Errorf("length %d, %s: %v, want %v", length, p, err, want)
			}
		}
	}
}

func TestCheck(t *testing.T) {
	good := []Pointer{Pack(0, 0, 0), Pack(2, 0, 0), Pack(2, 0, 8), Pack(4, 0, 0)}
	if err := Check(good, 5); err != nil {
		t.Error(err)
	}
	if err := Check(nil, 1); err != nil {
		t.Error(err)
	}
	var at *PointerError
	if err := Check(good, 4); !errors.Is(err, ErrPartition) || !errors.As(err, &at) || at.Index != 3 {
		t.Errorf("partition beyond the count: %v", err)
	}
	bad := []Pointer{Pack(2, 0, 0), Pack(1, 0, 0)}
	if err := Check(bad, 5); !errors.Is(err, ErrOrder) || !errors.As(err, &at) || at.Index != 1 {
		t.Errorf("unsorted: %v", err)
	}
}

// TestSort holds the radix sort to the standard library's stable sort.
func TestSort(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, partitions := range []int{1, 2, 3, 200, 256, 257, 2048, 2049, 16000, 1 << 16, 1<<22 + 1, MaxPartitions} {
		for _, n := range []int{0, 1, 2, 100, 5000} {
			pointers := make([]Pointer, n)
			for i := range pointers {
				pointers[i] = Pack(uint32(r.IntN(partitions)), r.IntN(MaxPages), r.IntN(MaxPageSize))
			}
			want := slices.Clone(pointers)
			slices.SortStableFunc(want, func(a, b Pointer) int { return cmp.Compare(a.Partition(), b.Partition()) })
			if got := Sort(pointers, make([]Pointer, n)); !slices.Equal(got, want) {
				t.Errorf("%d pointers to %d partitions are not sorted, or not stable", n, partitions)
			}
		}
	}
}

func FuzzRow(f *testing.F) {
	f.Add([]byte{8, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}, uint64(0), true)
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255}, uint64(1)<<27, false)
	f.Fuzz(func(t *testing.T, page []byte, pointer uint64, wide bool) {
		length := 4
		if wide {
			length = 8
		}
		table, err := NewTable(length, page)
		if err != nil {
			t.Fatal(err)
		}
		row, err := table.Row(Pointer(pointer))
		if err == nil && len(row)+length > len(page) {
			t.Errorf("row of %d bytes in a page of %d", len(row), len(page))
		}
	})
}

func BenchmarkSort(b *testing.B) {
	for _, partitions := range []int{200, 16000} {
		b.Run(fmt.Sprint(partitions), func(b *testing.B) {
			r := rand.New(rand.NewPCG(5, 6))
			from := make([]Pointer, 100_000)
			for i := range from {
				from[i] = Pack(uint32(r.IntN(partitions)), i>>15, i&(1<<15-1)*64)
			}
			pointers, scratch := make([]Pointer, len(from)), make([]Pointer, len(from))
			for b.Loop() {
				copy(pointers, from)
				Sort(pointers, scratch)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(from)), "ns/pointer")
		})
	}
}

package vfs

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCountingCounts(t *testing.T) {
	c := NewCounting(NewMem())
	must(t, c.MkdirAll("d"))
	f := got(c.Create("d/f"))(t)
	got(f.Write(make([]byte, 100)))(t)
	s := got(c.Scratch("d", "spill"))(t)
	must(t, s.Close())
	if s.Close() == nil {
		t.Error("a second close succeeded")
	}
	f.ReadAt(make([]byte, 30), 80) // 20 bytes and io.EOF
	must(t, f.Sync())
	got(f.Size())(t)
	before := c.Snapshot()
	want := Counts{ReadBytes: 20, WriteBytes: 100, Failed: 1, Open: 1, MaxOpen: 2}
	want.Calls = [NumKinds]int64{OpMkdir: 1, OpCreate: 1, OpWrite: 1, OpScratch: 1, OpClose: 2, OpRead: 1, OpSync: 1, OpStat: 1}
	if d := cmp.Diff(want, before); d != "" {
		t.Errorf("counts (-want +got):\n%s", d)
	}

	must(t, f.Close())
	must(t, c.Rename("d/f", "d/g"))
	got(c.List("d"))(t)
	got(c.Stat("d"))(t)
	must(t, c.Remove("d/g"))
	if second(c.Open("d/g")) == nil {
		t.Error("a removed file opened")
	}
	want = Counts{Failed: 1, MaxOpen: 2}
	want.Calls = [NumKinds]int64{OpClose: 1, OpRename: 1, OpList: 1, OpStat: 1, OpRemove: 1, OpOpen: 1}
	if d := cmp.Diff(want, c.Snapshot().Since(before)); d != "" {
		t.Errorf("counts since (-want +got):\n%s", d)
	}
}

// TestCountingCountsShortWrites wants the bytes that arrived, not those asked for.
func TestCountingCountsShortWrites(t *testing.T) {
	m := NewMem()
	m.Quota(3)
	c := NewCounting(m)
	if WriteFile(c, "f", make([]byte, 9)) == nil {
		t.Error("a full disk took everything")
	}
	if s := c.Snapshot(); s.WriteBytes != 3 || s.Failed != 1 || s.Of(OpWrite) != 1 {
		t.Errorf("counts %+v", s)
	}
}

func TestCountingConcurrent(t *testing.T) {
	c := NewCounting(NewMem())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			f, err := c.Scratch("/", "spill")
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			for range 100 {
				f.Write([]byte("ab"))
				f.ReadAt(make([]byte, 1), 0)
			}
		})
	}
	wg.Wait()
	s := c.Snapshot()
	if s.Of(OpWrite) != 800 || s.WriteBytes != 1600 || s.ReadBytes != 800 || s.Open != 0 || s.MaxOpen < 1 || s.MaxOpen > 8 {
		t.Errorf("counts %+v", s)
	}
}

func TestCountingDoesNotAllocate(t *testing.T) {
	c := NewCounting(NewMem())
	f := got(c.Create("f"))(t)
	defer f.Close()
	got(f.Write(make([]byte, 64)))(t)
	p := make([]byte, 64)
	if n := testing.AllocsPerRun(100, func() { f.ReadAt(p, 0); f.Size() }); n != 0 {
		t.Errorf("%v allocations a read", n)
	}
}

func BenchmarkCountingRead(b *testing.B) {
	m := NewMem()
	if err := WriteFile(m, "f", make([]byte, 64)); err != nil {
		b.Fatal(err)
	}
	for name, fsys := range map[string]FS{"plain": m, "counted": NewCounting(m)} {
		b.Run(name, func(b *testing.B) {
			f, err := fsys.Open("f")
			if err != nil {
				b.Fatal(err)
			}
			defer f.Close()
			p := make([]byte, 64)
			for b.Loop() {
				f.ReadAt(p, 0)
			}
		})
	}
}

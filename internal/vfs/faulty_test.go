package vfs

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

var errTest = errors.New("test fault")

// everyKind does one operation of each kind on its own, in the order of the
// kinds, and returns the errors.
func everyKind(t *testing.T, f *Faulty) (errs [NumKinds]error) {
	m := f.inner.(*Mem)
	inner := got(m.Create("file"))(t)
	h := newFaultyFile(f, inner)
	errs[OpCreate] = second(f.Create("created"))
	errs[OpOpen] = second(f.Open("file"))
	errs[OpScratch] = second(f.Scratch("/", "spill"))
	errs[OpRead] = second(h.ReadAt(nil, 0))
	errs[OpWrite] = second(h.Write([]byte("abc")))
	errs[OpSync] = h.Sync()
	errs[OpClose] = h.Close()
	errs[OpRename] = f.Rename("file", "renamed")
	errs[OpRemove] = f.Remove("renamed")
	errs[OpMkdir] = f.MkdirAll("dir")
	errs[OpStat] = second(f.Stat("/"))
	errs[OpList] = second(f.List("/"))
	return errs
}

func TestFaultyFailsEachKind(t *testing.T) {
	names := [NumKinds]string{"created", "file", "/spill", "file", "file", "file", "file", "file", "renamed", "dir", "/", "/"}
	for kind := range NumKinds {
		for how, set := range map[string]func(*Faulty){
			"by number": func(f *Faulty) { f.Fail(int(kind), errTest) },
			"by kind":   func(f *Faulty) { f.FailKind(kind, 0, errTest) },
			"by hook": func(f *Faulty) {
				f.Hook(func(op Op) error {
					if op.Kind == kind {
						return errTest
					}
					return nil
				})
			},
		} {
			t.Run(kind.String()+"/"+how, func(t *testing.T) {
				f := NewFaulty(NewMem())
				set(f)
				err := everyKind(t, f)[kind]
				pe, ok := errors.AsType[*fs.PathError](err)
				if !ok || pe.Op != kind.String() || pe.Path != names[kind] || pe.Err != errTest {
					t.Errorf("error %v, want %s %s: %v", err, kind, names[kind], errTest)
				}
				fired := f.Fired()
				if len(fired) == 0 || fired[0].Kind != kind || fired[0].N != int(kind) {
					t.Errorf("fired %v", fired)
				}
				if f.OpsOf(kind) != 1 || kind != OpRename && f.Ops() != int(NumKinds) {
					t.Errorf("%d operations, %d of the kind", f.Ops(), f.OpsOf(kind))
				}
			})
		}
	}
}

// TestFaultyDoesNothing wants failed operations to leave no trace, and a failed
// Close to close.
func TestFaultyDoesNothing(t *testing.T) {
	m := NewMem()
	f := NewFaulty(m)
	f.Hook(func(Op) error { return errTest })
	everyKind(t, f)
	wantTree(t, m, "/file=")
	wantList(t, m, "/", "file")
	if open := m.OpenFiles(); len(open) != 0 {
		t.Errorf("open: %q", open)
	}
}

func TestFaultyWithoutFaults(t *testing.T) {
	f := NewFaulty(NewMem())
	for kind, err := range everyKind(t, f) {
		if err != nil {
			t.Errorf("%s: %v", Kind(kind), err)
		}
	}
	if f.Ops() != int(NumKinds) || len(f.Fired()) != 0 {
		t.Errorf("%d operations, fired %v", f.Ops(), f.Fired())
	}
}

// TestFaultyDamage does three reads of 4 bytes at 2 of "0123456789", of which
// the second meets the fault.
func TestFaultyDamage(t *testing.T) {
	for _, c := range []struct {
		fault  error
		second string
		err    error
		third  string
		size   int64
	}{
		{Short(1, nil), "2", io.EOF, "2345", 10},
		{Short(-1, errTest), "234", errTest, "2345", 10},
		{Short(-9, errTest), "", errTest, "2345", 10},
		{Short(4, errTest), "2345", nil, "2345", 10},
		{Flip(1, 0x01), "2245", nil, "2345", 10},
		{Flip(5, 0x01), "2245", nil, "2345", 10},
		{Truncate(4), "23", io.EOF, "23", 4},
		{Truncate(0), "", io.EOF, "", 0},
		{Truncate(6), "2345", nil, "2345", 6},
		{errTest, "", errTest, "2345", 10},
	} {
		f := NewFaulty(NewMem())
		f.FailKind(OpRead, 1, c.fault)
		h := got(f.Scratch("/", "spill"))(t)
		got(h.Write([]byte("0123456789")))(t)
		p := make([]byte, 4)
		got(h.ReadAt(p, 2))(t)
		n, err := h.ReadAt(p, 2)
		if string(p[:n]) != c.second || !errors.Is(err, c.err) {
			t.Errorf("%v: %q, %v; want %q, %v", c.fault, p[:n], err, c.second, c.err)
		}
		if n, _ = h.ReadAt(p, 2); string(p[:n]) != c.third {
			t.Errorf("%v: then %q, want %q", c.fault, p[:n], c.third)
		}
		if size := got(h.Size())(t); size != c.size {
			t.Errorf("%v: size %d, want %d", c.fault, size, c.size)
		}
	}
}

func TestFaultyDamagedWrites(t *testing.T) {
	for _, c := range []struct {
		fault error
		n     int
		err   error
		want  string
	}{
		{Short(2, nil), 2, io.ErrShortWrite, "/f=ab"},
		{Short(-1, syscall.ENOSPC), 3, syscall.ENOSPC, "/f=abc"},
		{Short(9, errTest), 4, nil, "/f=abcd"},
		{Flip(2, 0xff), 4, nil, "/f=ab\x9cd"},
		{Truncate(1), 0, nil, "/f="}, // no write can carry it: fails
	} {
		m := NewMem()
		f := NewFaulty(m)
		f.FailKind(OpWrite, 0, c.fault)
		h := got(f.Create("f"))(t)
		p := []byte("abcd")
		n, err := h.Write(p)
		if n != c.n || !errors.Is(err, c.err) && c.err != nil || (err == nil) != (n == 4) {
			t.Errorf("%v: %d, %v; want %d, %v", c.fault, n, err, c.n, c.err)
		}
		if err != nil {
			wantError(t, err, nil, "write f")
		}
		if string(p) != "abcd" {
			t.Errorf("%v: the caller's bytes became %q", c.fault, p)
		}
		must(t, h.Close())
		wantTree(t, m, c.want)
	}
}

// TestFaultyShrunkFile is a file that is shorter than when it was measured.
func TestFaultyShrunkFile(t *testing.T) {
	f := NewFaulty(NewMem())
	must(t, WriteFile(f, "index", []byte("0123456789")))
	f.FailKind(OpRead, 0, Truncate(3))
	data, err := ReadFile(f, "index")
	if string(data) != "012" {
		t.Errorf("read %q", data)
	}
	wantError(t, err, io.ErrUnexpectedEOF, "index")
	f.FailKind(OpStat, 1, Truncate(3))
	wantContent(t, f, "index", "012")
}

func TestOpString(t *testing.T) {
	for want, op := range map[string]Op{
		"operation 3 (read of 8 bytes at 16, f)": {Kind: OpRead, Name: "f", Off: 16, Len: 8, N: 3},
		"operation 0 (write of 2 bytes, f)":      {Kind: OpWrite, Name: "f", Len: 2},
		"operation 1 (rename, f to g)":           {Kind: OpRename, Name: "f", To: "g", N: 1},
		"operation 2 (sync, f)":                  {Kind: OpSync, Name: "f", N: 2},
		"operation 4 (Kind(12), f)":              {Kind: NumKinds, Name: "f", N: 4},
	} {
		if op.String() != want {
			t.Errorf("%q, want %q", op, want)
		}
	}
}

// TestCrashAtEveryOperation shows how a hook asks what a crash would leave: a
// file that arrives in the right order is whole or not there.
func TestCrashAtEveryOperation(t *testing.T) {
	m := NewMem()
	f := NewFaulty(m)
	seen := map[string]bool{}
	f.Hook(func(op Op) error {
		files := tree(t, m.CrashClone(), "/")
		seen[strings.Join(files, " ")] = true
		return nil
	})
	h := got(f.Create("/tmp"))(t)
	got(h.Write([]byte("whole")))(t)
	must(t, h.Sync())
	must(t, h.Close())
	must(t, f.Rename("/tmp", "/data"))
	must(t, SyncDir(f, "/"))
	must(t, second(f.Stat("/")))
	if len(seen) != 2 || !seen[""] || !seen["/data=whole"] {
		t.Errorf("a crash left %v", seen)
	}
}

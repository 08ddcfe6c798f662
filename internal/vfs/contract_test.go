package vfs

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// contract is what every implementation does, inside an empty directory.
var contract = map[string]func(t *testing.T, fsys FS, dir string){
	"create truncates":         createTruncates,
	"writes append":            writesAppend,
	"reads are positioned":     readsArePositioned,
	"open reads only":          openReadsOnly,
	"missing":                  missing,
	"rename replaces":          renameReplaces,
	"rename moves directories": renameMovesDirectories,
	"rename refuses":           renameRefuses,
	"remove":                   removes,
	"open file outlives name":  openFileOutlivesName,
	"list sorted":              listSorted,
	"stat":                     stats,
	"scratch":                  scratches,
	"closed":                   closed,
	"directory handles":        directoryHandles,
	"files in the way":         filesInTheWay,
}

func TestContract(t *testing.T) {
	mem := func() FS { return NewMem() }
	for name, make := range map[string]func() FS{
		"OS":       func() FS { return OS{} },
		"Mem":      mem,
		"Faulty":   func() FS { return NewFaulty(mem()) },
		"Counting": func() FS { return NewCounting(OS{}) },
	} {
		for behavior, check := range contract {
			t.Run(name+"/"+behavior, func(t *testing.T) {
				fsys, dir := make(), t.TempDir()
				must(t, fsys.MkdirAll(dir))
				check(t, fsys, dir)
			})
		}
	}
}

func createTruncates(t *testing.T, fsys FS, dir string) {
	name := filepath.Join(dir, "f")
	must(t, WriteFile(fsys, name, []byte("long content")))
	must(t, WriteFile(fsys, name, []byte("new")))
	wantContent(t, fsys, name, "new")
}

func writesAppend(t *testing.T, fsys FS, dir string) {
	f := got(fsys.Create(filepath.Join(dir, "f")))(t)
	defer f.Close()
	for i, p := range []string{"ab", "", "cde"} {
		if n, err := f.Write([]byte(p)); n != len(p) || err != nil {
			t.Fatalf("write %d: %d, %v", i, n, err)
		}
		got(f.ReadAt(make([]byte, 1), 0))(t) // must not move the end
	}
	must(t, f.Sync())
	if size := got(f.Size())(t); size != 5 {
		t.Errorf("size %d, want 5", size)
	}
	wantContent(t, fsys, f.Name(), "abcde")
}

func readsArePositioned(t *testing.T, fsys FS, dir string) {
	name := filepath.Join(dir, "f")
	must(t, WriteFile(fsys, name, []byte("0123456789")))
	f := got(fsys.Open(name))(t)
	defer f.Close()
	for _, c := range []struct {
		off  int64
		len  int
		want string
		err  error
	}{
		{0, 10, "0123456789", nil},
		{7, 3, "789", nil},
		{7, 4, "789", io.EOF},
		{2, 2, "23", nil},
		{10, 1, "", io.EOF},
		{99, 1, "", io.EOF},
		{10, 0, "", nil},
		{99, 0, "", nil},
	} {
		p := make([]byte, c.len)
		n, err := f.ReadAt(p, c.off)
		if string(p[:n]) != c.want || err != c.err {
			t.Errorf("%d bytes at %d: %q, %v; want %q, %v", c.len, c.off, p[:n], err, c.want, c.err)
		}
	}
	_, err := f.ReadAt(make([]byte, 1), -1)
	wantError(t, err, nil, name)
}

func openReadsOnly(t *testing.T, fsys FS, dir string) {
	name := filepath.Join(dir, "f")
	must(t, WriteFile(fsys, name, []byte("x")))
	f := got(fsys.Open(name))(t)
	defer f.Close()
	_, err := f.Write([]byte("y"))
	wantError(t, err, nil, name)
	wantContent(t, fsys, name, "x")
}

func missing(t *testing.T, fsys FS, dir string) {
	name := filepath.Join(dir, "none")
	below := filepath.Join(name, "f")
	for op, err := range map[string]error{
		"open":    second(fsys.Open(name)),
		"stat":    second(fsys.Stat(name)),
		"list":    second(fsys.List(name)),
		"remove":  fsys.Remove(name),
		"rename":  fsys.Rename(name, filepath.Join(dir, "g")),
		"create":  second(fsys.Create(below)),
		"scratch": second(fsys.Scratch(name, "s")),
		"empty":   errors.Join(second(fsys.Create("")), errors.New("none")),
	} {
		t.Run(op, func(t *testing.T) { wantError(t, err, fs.ErrNotExist, "none") })
	}
}

func renameReplaces(t *testing.T, fsys FS, dir string) {
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	must(t, WriteFile(fsys, a, []byte("new")))
	must(t, WriteFile(fsys, b, []byte("old")))
	reader := got(fsys.Open(b))(t)
	defer reader.Close()
	must(t, fsys.Rename(a, b))
	wantContent(t, fsys, b, "new")
	wantList(t, fsys, dir, "b")
	p := make([]byte, 3)
	if got(reader.ReadAt(p, 0))(t); string(p) != "old" {
		t.Errorf("the open file reads %q", p)
	}
	must(t, fsys.Rename(b, b))
	wantContent(t, fsys, b, "new")
}

func renameMovesDirectories(t *testing.T, fsys FS, dir string) {
	must(t, fsys.MkdirAll(filepath.Join(dir, "d", "e")))
	must(t, WriteFile(fsys, filepath.Join(dir, "d", "e", "f"), []byte("x")))
	must(t, fsys.Rename(filepath.Join(dir, "d"), filepath.Join(dir, "g")))
	wantContent(t, fsys, filepath.Join(dir, "g", "e", "f"), "x")
	wantList(t, fsys, dir, "g")
}

func renameRefuses(t *testing.T, fsys FS, dir string) {
	file, sub := filepath.Join(dir, "file"), filepath.Join(dir, "sub")
	must(t, WriteFile(fsys, file, []byte("x")))
	must(t, fsys.MkdirAll(sub))
	wantError(t, fsys.Rename(file, sub), fs.ErrExist, file, sub)
	wantError(t, fsys.Rename(sub, file), syscall.ENOTDIR, file, sub)
	wantError(t, fsys.Rename(sub, filepath.Join(sub, "x")), nil, sub)
	wantList(t, fsys, dir, "file", "sub")
}

func removes(t *testing.T, fsys FS, dir string) {
	sub := filepath.Join(dir, "sub")
	name := filepath.Join(sub, "f")
	must(t, fsys.MkdirAll(sub))
	must(t, WriteFile(fsys, name, nil))
	wantError(t, fsys.Remove(sub), syscall.ENOTEMPTY, sub)
	must(t, fsys.Remove(name))
	must(t, fsys.Remove(sub))
	wantList(t, fsys, dir)
}

func openFileOutlivesName(t *testing.T, fsys FS, dir string) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be removed here")
	}
	f := got(fsys.Create(filepath.Join(dir, "f")))(t)
	must(t, fsys.Remove(f.Name()))
	got(f.Write([]byte("abc")))(t)
	if size := got(f.Size())(t); size != 3 {
		t.Errorf("size %d, want 3", size)
	}
	must(t, f.Close())
	wantList(t, fsys, dir)
}

func listSorted(t *testing.T, fsys FS, dir string) {
	for _, name := range []string{"b", "a", "task_10", "task_2", "B"} {
		must(t, fsys.MkdirAll(filepath.Join(dir, name, "x")))
	}
	wantList(t, fsys, dir, "B", "a", "b", "task_10", "task_2")
	wantList(t, fsys, filepath.Join(dir, "a", "x"))
}

func stats(t *testing.T, fsys FS, dir string) {
	name := filepath.Join(dir, "f")
	must(t, WriteFile(fsys, name, make([]byte, 70_000)))
	st := got(fsys.Stat(name))(t)
	if st.Name() != "f" || st.Size() != 70_000 || st.IsDir() || !st.Mode().IsRegular() {
		t.Errorf("file: %v", fs.FormatFileInfo(st))
	}
	st = got(fsys.Stat(dir))(t)
	if st.Name() != filepath.Base(dir) || !st.IsDir() || !st.Mode().IsDir() {
		t.Errorf("directory: %v", fs.FormatFileInfo(st))
	}
}

func scratches(t *testing.T, fsys FS, dir string) {
	f := got(fsys.Scratch(dir, "spill"))(t)
	g := got(fsys.Scratch(dir, "spill"))(t)
	got(f.Write([]byte("mine")))(t)
	got(g.Write([]byte("other")))(t)
	p := make([]byte, 5)
	if n, err := f.ReadAt(p, 0); string(p[:n]) != "mine" || err != io.EOF {
		t.Errorf("read %q, %v", p[:n], err)
	}
	if f.Name() != filepath.Join(dir, "spill") {
		t.Errorf("name %q", f.Name())
	}
	must(t, f.Sync())
	must(t, errors.Join(f.Close(), g.Close()))
	wantList(t, fsys, dir)
	for _, label := range []string{"", "a/b", ".."} {
		_, err := fsys.Scratch(dir, label)
		wantError(t, err, errLabel, filepath.Join(dir, label))
	}
}

func closed(t *testing.T, fsys FS, dir string) {
	created := got(fsys.Create(filepath.Join(dir, "f")))(t)
	for _, f := range []File{created, got(fsys.Scratch(dir, "s"))(t), got(fsys.Open(created.Name()))(t)} {
		must(t, f.Close())
		for op, err := range map[string]error{
			"write": second(f.Write([]byte("x"))),
			"read":  second(f.ReadAt(make([]byte, 1), 0)),
			"size":  second(f.Size()),
			"sync":  f.Sync(),
			"close": f.Close(),
		} {
			t.Run(op, func(t *testing.T) { wantError(t, err, fs.ErrClosed, f.Name()) })
		}
	}
}

func directoryHandles(t *testing.T, fsys FS, dir string) {
	must(t, SyncDir(fsys, dir))
	d := got(fsys.Open(dir))(t)
	defer d.Close()
	_, err := d.ReadAt(make([]byte, 1), 0)
	wantError(t, err, nil, dir)
	_, err = fsys.Create(dir)
	wantError(t, err, nil, dir)
}

func filesInTheWay(t *testing.T, fsys FS, dir string) {
	file := filepath.Join(dir, "f")
	must(t, WriteFile(fsys, file, nil))
	below := filepath.Join(file, "x")
	for _, err := range []error{
		second(fsys.Create(below)), second(fsys.Open(below)), second(fsys.Stat(below)), fsys.Remove(below),
		fsys.MkdirAll(below), fsys.MkdirAll(file), second(fsys.Scratch(file, "x")), second(fsys.List(file)),
	} {
		wantError(t, err, nil, file)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// got unpacks a result that must not be an error.
func got[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		must(t, err)
		return v
	}
}

func second[T any](_ T, err error) error { return err }

// wantError wants an error of that class (nil: any but EOF) that names the files.
func wantError(t *testing.T, err, class error, names ...string) {
	t.Helper()
	if err == nil || err == io.EOF || (class != nil && !errors.Is(err, class)) {
		t.Errorf("error %v, want %v", err, class)
		return
	}
	for _, name := range names {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("error %q does not name %s", err, name)
		}
	}
}

func wantContent(t *testing.T, fsys FS, name, want string) {
	t.Helper()
	if data, err := ReadFile(fsys, name); !bytes.Equal(data, []byte(want)) || err != nil {
		t.Errorf("%s has %q, %v; want %q", name, data, err, want)
	}
}

func wantList(t *testing.T, fsys FS, dir string, want ...string) {
	t.Helper()
	if names, err := fsys.List(dir); !slices.Equal(names, want) || err != nil {
		t.Errorf("%s lists %q, %v; want %q", dir, names, err, want)
	}
}

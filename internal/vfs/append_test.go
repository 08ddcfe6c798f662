package vfs

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
)

// TestAppend: every file system writes behind what a file has, and makes it.
func TestAppend(t *testing.T) {
	for name, c := range map[string]struct {
		fsys FS
		dir  string
	}{
		"OS":       {OS{}, t.TempDir()},
		"Mem":      {NewMem(), "d"},
		"Faulty":   {NewFaulty(NewMem()), "d"},
		"Counting": {NewCounting(NewMem()), "d"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := c.fsys.MkdirAll(c.dir); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(c.dir, "f")
			for _, text := range []string{"one", " and ", "two"} {
				f, err := OpenAppend(c.fsys, file)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := f.Write([]byte(text)); err != nil {
					t.Error(err)
				}
				if err := f.Close(); err != nil {
					t.Error(err)
				}
			}
			if b, err := ReadFile(c.fsys, file); err != nil || string(b) != "one and two" {
				t.Errorf("%q, %v", b, err)
			}
			if _, err := OpenAppend(c.fsys, c.dir); err == nil {
				t.Error("a directory was opened for appending")
			}
			if _, err := OpenAppend(c.fsys, filepath.Join(c.dir, "no", "f")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("in a directory that is not there: %v", err)
			}
		})
	}
}

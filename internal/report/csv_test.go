package report

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func appendRow(t *testing.T, name string) error {
	t.Helper()
	c, err := OpenCSV(name)
	if err != nil {
		return err
	}
	return errors.Join(c.Append(row(1, 1)), c.Close())
}

func TestCSVHeaderIsWrittenOnce(t *testing.T) {
	name := filepath.Join(t.TempDir(), "rows.csv")
	for range 3 {
		if err := appendRow(t, name); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(b), "case,variant"); n != 1 {
		t.Errorf("%d headers", n)
	}
	if rows := parse(t, b); len(rows) != 3 {
		t.Errorf("%d rows, want 3", len(rows))
	}
}

func TestCSVRefusesWhatIsNotItsOwn(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good.csv")
	if err := appendRow(t, good); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"name,time\nx,1\n":               "other columns",
		"no line at all":                 "other columns",
		string(b[:len(b)-5]):             "unfinished line",
		"case,variant\n" + string(b):     "other columns",
		strings.TrimSpace(string(b[:9])): "other columns",
	} {
		name := filepath.Join(dir, "bad.csv")
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := appendRow(t, name); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%.20q: error %v, want one with the name and %q", text, err, want)
		}
		if after, _ := os.ReadFile(name); string(after) != text {
			t.Errorf("%.20q: the file was changed", text)
		}
	}
}

func TestCSVOnAFullDevice(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	err := appendRow(t, "/dev/full")
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "/dev/full") {
		t.Errorf("got %v, want no space on /dev/full", err)
	}
}

func TestCSVWhereNothingMayBeMade(t *testing.T) {
	err := appendRow(t, filepath.Join(t.TempDir(), "missing", "rows.csv"))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

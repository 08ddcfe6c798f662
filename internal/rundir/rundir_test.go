package rundir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/shufflebench/shufflebench/pkg/fixture"
	"github.com/shufflebench/shufflebench/pkg/metrics"
)

func manifest(tasks int) *Manifest {
	return &Manifest{
		Files: BlockNames.OutputFiles(tasks), Command: []string{"write"}, Input: "/data/f.parquet",
		Options: Options{Engine: "ranges", Partitions: 4, HashColumns: []string{"0"}, ConcurrentTasks: tasks},
		Fixture: fixture.Identity{Rows: 10, SHA256: "ab"},
	}
}

// put writes files below dir.
func put(t *testing.T, dir string, files ...string) {
	t.Helper()
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(f), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// tree lists the files below dir.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		if err == nil && !d.IsDir() {
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return out
}

func claim(t *testing.T, dir string, tasks int) *Dir {
	t.Helper()
	d, err := Claim(dir, manifest(tasks))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Release() })
	return d
}

func TestManifestRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "out")
	d := claim(t, dir, 1)
	if m, err := Read(dir); err != nil || m.State != Running {
		t.Fatalf("after Claim: %+v, %v", m, err)
	}
	m := d.Manifest()
	m.Schema = &Schema{IPC: []byte{1, 2, 255}, Text: "id: int64"}
	m.Tasks = []Task{{Data: "task_0/data.out", Index: "task_0/index.out", Rows: 10, SHA256: "cd"}}
	m.Rows = []*metrics.Row{metrics.NewRow()}
	if err := d.Complete(); err != nil {
		t.Fatal(err)
	}
	got, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, got, cmpopts.EquateNaNs()); diff != "" || got.State != Complete {
		t.Error(diff)
	}
}

// TestChecksumFilesAreOurs: they are listed, and go with the old tasks.
func TestChecksumFilesAreOurs(t *testing.T) {
	dir := t.TempDir()
	m := manifest(1)
	m.Files = append(m.Files, "task_0/data.out.checksum.CRC32C")
	d, err := Claim(dir, m)
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, m.Files...)
	if err := d.Release(); err != nil {
		t.Fatal(err)
	}
	claim(t, dir, 1)
	if got := tree(t, dir); !slices.Equal(got, []string{"run.json"}) {
		t.Errorf("left: %q", got)
	}
}

// TestRerunRemovesTheOldTasks: fewer tasks than before leave none of the old.
func TestRerunRemovesTheOldTasks(t *testing.T) {
	dir := t.TempDir()
	d := claim(t, dir, 4)
	put(t, dir, append(BlockNames.OutputFiles(4), "task_1/data.out.tmp", "task_3/notes.txt", "mine.txt")...)
	if err := d.Release(); err != nil {
		t.Fatal(err)
	}
	claim(t, dir, 1)
	want := []string{"mine.txt", "run.json", "task_3/notes.txt"}
	if got := tree(t, dir); !slices.Equal(got, want) {
		t.Errorf("left: %q, want %q", got, want)
	}
	if _, err := os.Stat(filepath.Join(dir, "task_2")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty task directory is left: %v", err)
	}
}

func TestForeignOutputIsRefused(t *testing.T) {
	for name, files := range map[string][]string{
		"no run.json":        {"task_0/data.out"},
		"an index":           {"task_12/index.out"},
		"consolidated":       {"task_1/data.arrow"},
		"its index":          {"task_0/data.arrow.index"},
		"beyond the old run": {"task_5/data.out"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if name == "beyond the old run" {
				if err := claim(t, dir, 2).Release(); err != nil {
					t.Fatal(err)
				}
			}
			put(t, dir, files...)
			before := tree(t, dir)
			_, err := Claim(dir, manifest(1))
			if err == nil || !strings.Contains(err.Error(), files[0]) || !strings.Contains(err.Error(), dir) {
				t.Errorf("got %v, want a refusal that names %s", err, files[0])
			}
			if after := tree(t, dir); !slices.Equal(after, before) {
				t.Errorf("%q became %q", before, after)
			}
		})
	}
}

func TestForeignRunJSONIsRefused(t *testing.T) {
	for _, text := range []string{
		"", "{}", `{"tool":"other"}`, `{"tool":"shufflebench","run_version":99}`,
		`{"tool":"shufflebench","run_version":1,"files":["../../etc/passwd"]}`,
		`{"tool":"shufflebench","run_version":1,"files":["task_0/../mine.txt"]}`,
		`{"tool":"shufflebench","run_version":1,"files":["/task_0/data.out"]}`,
	} {
		dir := t.TempDir()
		put(t, dir, "mine.txt")
		if err := os.WriteFile(filepath.Join(dir, FileName), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Claim(dir, manifest(1)); err == nil || !strings.Contains(err.Error(), FileName) {
			t.Errorf("%s: got %v, want a refusal that names %s", text, err, FileName)
		}
		if b, _ := os.ReadFile(filepath.Join(dir, FileName)); string(b) != text {
			t.Errorf("%s: it was replaced", text)
		}
		if got := tree(t, dir); !slices.Equal(got, []string{"mine.txt", FileName}) {
			t.Errorf("%s: left %q", text, got)
		}
	}
}

func TestTwoRunsDoNotShareADirectory(t *testing.T) {
	dir := t.TempDir()
	d := claim(t, dir, 1)
	if _, err := Claim(dir, manifest(1)); err == nil || !strings.Contains(err.Error(), "another run") {
		t.Fatalf("got %v, want a refusal", err)
	}
	if err := d.Release(); err != nil {
		t.Fatal(err)
	}
	claim(t, dir, 1)
}

func TestRemoveTakesOnlyWhatTheRunMade(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "out")
	d := claim(t, dir, 2)
	put(t, dir, append(BlockNames.OutputFiles(2), "task_0/index.out.tmp")...)
	if err := d.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory that Claim made is left: %q", tree(t, parent))
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "mine.txt", "task_0/mine.txt")
	d = claim(t, dir, 1)
	put(t, dir, BlockNames.OutputFiles(1)...)
	if err := d.Remove(); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, dir); !slices.Equal(got, []string{"mine.txt", "task_0/mine.txt"}) {
		t.Errorf("left: %q", got)
	}
}

func TestPrivateDirectoryIsRemovedWhole(t *testing.T) {
	parent := t.TempDir()
	d, err := Private(parent, manifest(1))
	if err != nil {
		t.Fatal(err)
	}
	put(t, d.Path(), "task_0/data.out", "task_0/data.out.tmp", "task_9/anything")
	if err := d.Remove(); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, parent); len(got) != 0 {
		t.Errorf("left: %q", got)
	}
}

func TestClaimWhereNothingCanBeMade(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "file")
	for _, out := range []string{filepath.Join(dir, "file"), filepath.Join(dir, "file", "below")} {
		if _, err := Claim(out, manifest(1)); err == nil || !strings.Contains(err.Error(), "output directory") {
			t.Errorf("%s: got %v", out, err)
		}
	}
}

// TestIndexesGoFirst: what is left by a kill in the middle of removing is
// never an index beside a data file of another run.
func TestIndexesGoFirst(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, BlockNames.OutputFiles(2)...)
	block := filepath.Join(dir, "task_0", "data.out")
	if err := os.Remove(block); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "task_0/data.out/occupied") // a directory in the way: its removal fails
	if err := removeFiles(dir, BlockNames.OutputFiles(2)); err == nil {
		t.Error("an unremovable file is no error")
	}
	if got := tree(t, dir); !slices.Equal(got, []string{"task_0/data.out/occupied"}) {
		t.Errorf("left: %q", got)
	}
}

package sparkdir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func tree(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, n := range names {
		path := filepath.Join(dir, filepath.FromSlash(n))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFind(t *testing.T) {
	dir := tree(t, "blockmgr-1/0a/shuffle_59_10_0.data", "blockmgr-1/1b/shuffle_59_10_0.index", "blockmgr-1/2c/shuffle_59_10_0.checksum.ADLER32",
		"x/shuffle_59_9_0.index", "x/shuffle_3_1_0.index", "x/shuffle_3_1_0.data", "x/temp_shuffle_1", "rdd_0_0")
	got, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	in := func(p string) string { return filepath.Join(dir, filepath.FromSlash(p)) }
	want := []Shuffle{
		{3, []Map{{1, in("x/shuffle_3_1_0.data"), in("x/shuffle_3_1_0.index"), ""}}},
		{59, []Map{
			{9, in("x/shuffle_59_9_0.data"), in("x/shuffle_59_9_0.index"), ""},
			{10, in("blockmgr-1/0a/shuffle_59_10_0.data"), in("blockmgr-1/1b/shuffle_59_10_0.index"), in("blockmgr-1/2c/shuffle_59_10_0.checksum.ADLER32")},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s, err := Pick(got, 59); err != nil || len(s.Maps) != 2 {
		t.Errorf("%v, %v", s, err)
	}
	for _, id := range []int{-1, 4} {
		if _, err := Pick(got, id); err == nil || !strings.Contains(err.Error(), "[3 59]") {
			t.Errorf("shuffle %d: %v", id, err)
		}
	}
	if s, err := Pick(got[:1], -1); err != nil || s.ID != 3 {
		t.Errorf("%v, %v", s, err)
	}
}

func TestFindRefuses(t *testing.T) {
	for want, names := range map[string][]string{
		"no index file beside it":     {"shuffle_1_1_0.data"},
		"files of the same map task":  {"a/shuffle_1_1_0.index", "b/shuffle_1_1_0.index"},
		"no shuffle_*.index file":     {"other"},
		"value out of range":          {"shuffle_1_99999999999999999999_0.index"},
		"no index file beside it\x00": {"shuffle_1_1_0.checksum.ADLER32"},
	} {
		if _, err := Find(tree(t, names...)); err == nil || !strings.Contains(err.Error(), strings.TrimRight(want, "\x00")) {
			t.Errorf("%v: %v, want %q", names, err, want)
		}
	}
	if _, err := Find(filepath.Join(t.TempDir(), "nowhere")); err == nil {
		t.Error("no error")
	}
}

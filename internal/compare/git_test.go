package compare

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCacheRemovedByHand: a worktree whose directory is gone is made anew.
func TestCacheRemovedByHand(t *testing.T) {
	p := newProject(t)
	r, err := openRepo(t.Context(), p.dir, os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	head := p.git("rev-parse", "HEAD")
	dir := filepath.Join(t.TempDir(), "tree")
	for range 2 {
		if err := r.checkOut(t.Context(), head, dir); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.remove(dir); err != nil {
		t.Fatal(err)
	}
	if out := p.git("worktree", "list"); strings.Contains(out, dir) {
		t.Errorf("git still lists it:\n%s", out)
	}
}

// TestHooksDoNotRun: the user's hooks are not for our worktrees.
func TestHooksDoNotRun(t *testing.T) {
	p := newProject(t)
	p.write(".git/hooks/post-checkout", "#!/bin/sh\nexit 1\n")
	if err := os.Chmod(filepath.Join(p.dir, ".git/hooks/post-checkout"), 0o755); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "GIT_DIR=/nowhere", "GIT_INDEX_FILE=/nowhere/index") // as in a hook
	r, err := openRepo(t.Context(), p.dir, env)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "tree")
	if err := r.checkOut(t.Context(), p.git("rev-parse", "HEAD"), dir); err != nil {
		t.Fatal(err)
	}
	if err := r.remove(dir); err != nil {
		t.Fatal(err)
	}
}

// TestWorktreesShareTheCache: any worktree of a repository has its builds.
func TestWorktreesShareTheCache(t *testing.T) {
	p := newProject(t)
	other := filepath.Join(t.TempDir(), "other")
	p.git("worktree", "add", "--quiet", "--detach", other)
	a, err := openRepo(t.Context(), p.dir, os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	b, err := openRepo(t.Context(), other, os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	if a.id != b.id || a.top == b.top || !strings.HasPrefix(a.id, "project-") {
		t.Errorf("%s at %s, %s at %s", a.id, a.top, b.id, b.top)
	}
}

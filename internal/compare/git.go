package compare

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// repo is a user's repository. Nothing in its tree, index or configuration is
// ever changed: revisions are checked out elsewhere, as git worktrees.
type repo struct {
	top string   // of the tree
	env []string // without variables that would point git elsewhere
	id  string   // names its part of the cache
}

// openRepo finds the repository that dir belongs to.
func openRepo(ctx context.Context, dir string, env []string) (*repo, error) {
	r := &repo{top: dir, env: gitEnv(env)}
	top, err := r.git(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, fmt.Errorf("%s is no git repository: %w", dir, err)
	}
	r.top = top
	common, err := r.git(ctx, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(common))
	r.id = filepath.Base(strings.TrimSuffix(common, string(filepath.Separator)+".git")) + "-" + hex.EncodeToString(sum[:5])
	return r, nil
}

// gitEnv drops what a hook's environment would make git work on.
func gitEnv(env []string) []string {
	var out []string
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_NAMESPACE":
		default:
			out = append(out, e)
		}
	}
	return append(out, "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")
}

// git runs a git command in the tree and gives what it prints.
func (r *repo) git(ctx context.Context, args ...string) (string, error) {
	return r.gitWith(ctx, nil, args...)
}

func (r *repo) gitWith(ctx context.Context, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", r.top, "-c", "core.hooksPath=" + os.DevNull}, args...)...)
	cmd.Env = append(append([]string{}, r.env...), env...)
	cmd.SysProcAttr = ownGroup()
	var talk bytes.Buffer
	cmd.Stderr = &talk
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		if said := lastLines(talk.Bytes(), 1); said != "" {
			err = errors.New(said)
		}
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}

// commit is a revision in full.
type commit struct {
	id      string
	subject string
	dirty   bool // made of a tree with changes
}

// resolve finds a revision; "." is the tree as it is, changes and new files
// included, except for the paths in without.
func (r *repo) resolve(ctx context.Context, rev string, without ...string) (*commit, error) {
	if rev == "." {
		return r.snapshot(ctx, without)
	}
	if strings.HasPrefix(rev, "-") {
		return nil, usage("%q is no revision", rev)
	}
	id, err := r.git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, usage("%s has no revision %q", r.top, rev)
	}
	return r.describe(ctx, id)
}

func (r *repo) describe(ctx context.Context, id string) (*commit, error) {
	subject, err := r.git(ctx, "log", "-1", "--format=%s", id)
	return &commit{id: id, subject: subject}, err
}

// snapshot makes a commit of the tree as it is, through an index of its own.
// It belongs to no branch. Equal trees on one commit give the same id, so that
// they are built once.
func (r *repo) snapshot(ctx context.Context, without []string) (_ *commit, err error) {
	head, err := r.resolve(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	index, err := r.copyIndex(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, removeIfThere(index)) }()
	env := []string{"GIT_INDEX_FILE=" + index}
	if _, err := r.gitWith(ctx, env, append([]string{"add", "--all", "--", "."}, r.excludes(without)...)...); err != nil {
		return nil, err
	}
	tree, err := r.gitWith(ctx, env, "write-tree")
	if err != nil {
		return nil, err
	}
	if clean, err := r.git(ctx, "rev-parse", head.id+"^{tree}"); err != nil || clean == tree {
		return head, err
	}
	return r.commitTree(ctx, tree, head)
}

func (r *repo) commitTree(ctx context.Context, tree string, parent *commit) (*commit, error) {
	when, err := r.git(ctx, "log", "-1", "--format=%cI", parent.id)
	if err != nil {
		return nil, err
	}
	who := []string{
		"GIT_AUTHOR_NAME=shufflebench", "GIT_AUTHOR_EMAIL=shufflebench@localhost", "GIT_AUTHOR_DATE=" + when,
		"GIT_COMMITTER_NAME=shufflebench", "GIT_COMMITTER_EMAIL=shufflebench@localhost", "GIT_COMMITTER_DATE=" + when,
	}
	id, err := r.gitWith(ctx, who, "-c", "commit.gpgSign=false", "commit-tree", tree, "-p", parent.id, "-m", "tree with changes")
	return &commit{id: id, subject: "changes on top of: " + parent.subject, dirty: true}, err
}

// copyIndex copies the user's index, for what it knows of unchanged files.
func (r *repo) copyIndex(ctx context.Context) (name string, err error) {
	path, err := r.git(ctx, "rev-parse", "--path-format=absolute", "--git-path", "index")
	if err != nil {
		return "", err
	}
	to, err := os.CreateTemp("", "shufflebench-index-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	from, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return to.Name(), os.Remove(to.Name()) // git makes a new one
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(to.Name()))
	}
	_, err = io.Copy(to, from)
	return to.Name(), errors.Join(err, from.Close())
}

// excludes are pathspecs that leave out what lies in the tree, and results of
// earlier comparisons under their default name.
func (r *repo) excludes(paths []string) []string {
	out := []string{":(exclude,glob)compare-[0-9]*-[0-9]*/**"}
	for _, p := range paths {
		abs, err := filepath.Abs(p)
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(r.top, abs); err == nil && filepath.IsLocal(rel) && rel != "." {
			out = append(out, ":(exclude,literal)"+filepath.ToSlash(rel))
		}
	}
	return out
}

// checkOut makes a worktree of a commit at dir, which must not be there. git may
// still know one that was there: caches are removed by hand.
func (r *repo) checkOut(ctx context.Context, id, dir string) error {
	_, err := r.git(ctx, "worktree", "add", "--force", "--detach", "--quiet", dir, id)
	return err
}

// remove removes a worktree, whatever was built in it.
func (r *repo) remove(dir string) error {
	_, err := r.git(context.Background(), "worktree", "remove", "--force", dir)
	if rm := os.RemoveAll(dir); err == nil {
		return rm
	}
	_, err = r.git(context.Background(), "worktree", "prune")
	return err
}

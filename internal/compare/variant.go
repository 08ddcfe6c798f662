package compare

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/internal/rundir"
	"github.com/shufflebench/shufflebench/internal/stats"
)

// variant is a side that is ready to run.
type variant struct {
	report.Variant
	exe      string          // a revision of this program; "" for a template
	name     string          // argv[0] of exe, if not its path
	can      *abilities      // of exe
	args     []report.Option // of exe's write
	template template
	dir      string // that a template runs in
	built    *built
}

// places are where a run finds and leaves its files.
type places struct {
	input  string
	root   string // of the run; all else is in it
	output string
	caught string // second names of output that a command removes
	csv    string
	temp   string
	stdout string
	stderr string
}

func placesIn(root, input string) places {
	in := func(name string) string { return filepath.Join(root, name) }
	return places{input, root, in("out"), in("caught"), in("rows.csv"), in("tmp"), in("stdout"), in("stderr")}
}

// ofWrite are the flags of write that every run sets.
var ofWrite = []string{"input", "output-dir", "csv", "iterations", "warmup", "validate"}

// command is a run's command line.
func (v *variant) command(c *Case, p places) ([]string, error) {
	if v.template != nil {
		return v.template.fill(func(name string) (string, bool) { return v.place(c, p, name) })
	}
	words := []string{
		v.exe, "write", "--input=" + p.input, "--output-dir=" + p.output, "--csv=" + p.csv,
		"--iterations=1", "--warmup=0", "--validate=false",
	}
	return slices.Concat(words, c.flags(), flagWords(v.args)), nil
}

// place gives a placeholder's value.
func (v *variant) place(c *Case, p places, name string) (string, bool) {
	fixed := map[string]string{
		"input": p.input, "output": p.output, "csv": p.csv, "tmp": p.temp,
		"case": c.Name, "side": string(v.Side),
	}
	if v.built != nil {
		maps.Copy(fixed, map[string]string{"worktree": v.built.tree(), "bin": v.built.bin(), "commit": v.built.Commit})
	}
	if s, ok := fixed[name]; ok {
		return s, true
	}
	return c.get(canonicalOption(name))
}

// speaksRows reports whether a run leaves a row of its own.
func (v *variant) speaksRows() bool {
	return v.template == nil || slices.Contains(v.template.names(), "csv")
}

// fits says why a side cannot run a case, nil if it can.
func (v *variant) fits(c *Case) error {
	if v.template == nil {
		return v.lacks(c.set.keys(), func(o string) string { return v.effective(c, o) })
	}
	if _, err := v.command(c, placesIn("/", "/")); err != nil {
		return fmt.Errorf("%s's command: %w", v.Side, err)
	}
	names := v.template.names()
	for i := range names {
		names[i] = canonicalOption(names[i])
	}
	for _, o := range c.set.keys() {
		if !slices.Contains(names, o) && c.set[o] != optionDefaults[o] {
			return fmt.Errorf("%s's command has no placeholder {%s}, so it would not run with %s=%s", v.Side, o, o, c.set[o])
		}
	}
	return nil
}

// variants makes both sides ready: everything is resolved before anything is
// built, and everything is built before anything is run.
type variants struct {
	cfg   *Config
	self  *Self
	hooks *Hooks
	repo  *repo
	ids   map[stats.Side]*commit
}

func (d *variants) source(side stats.Side) *Source {
	if side == stats.Base {
		return &d.cfg.Base
	}
	return &d.cfg.Head
}

// sides are those that are run.
func (d *variants) sides() []stats.Side {
	if d.cfg.Baseline != "" {
		return []stats.Side{stats.Head}
	}
	return []stats.Side{stats.Base, stats.Head}
}

// resolve finds the commits of revisions.
func (d *variants) resolve(ctx context.Context) error {
	d.ids = map[stats.Side]*commit{}
	for _, side := range d.sides() {
		src := d.source(side)
		if src.Rev == "" {
			continue
		}
		if d.repo == nil {
			var err error
			if d.repo, err = openRepo(ctx, d.cfg.Repo, d.self.Env); err != nil {
				return err
			}
		}
		id, err := d.repo.resolve(ctx, src.Rev, d.cfg.Out, d.cfg.WorkDir)
		if err != nil {
			return err
		}
		d.ids[side] = id
	}
	return d.refuseEqual()
}

// refuseEqual finds an A/A comparison that was not asked for.
func (d *variants) refuseEqual() error {
	base, head := d.ids[stats.Base], d.ids[stats.Head]
	if d.cfg.SelfTest || base == nil || head == nil || base.id != head.id {
		return nil
	}
	if slices.Equal(d.cfg.Base.Args, d.cfg.Head.Args) {
		return usage("base %s and head %s are the same commit %.12s; say --self-test if that is meant", d.cfg.Base.Rev, d.cfg.Head.Rev, base.id)
	}
	return nil
}

// plan describes a side as far as it is known before a build.
func (d *variants) plan(side stats.Side) (*variant, error) {
	src := d.source(side)
	v := &variant{Variant: report.Variant{Side: side}}
	words := slices.Concat(d.cfg.Args, src.Args)
	var err error
	switch id := d.ids[side]; {
	case src.Cmd != "":
		v.Name, v.Template = src.Cmd, src.Cmd
		v.template, err = parseTemplate(src.Cmd)
	case id != nil:
		v.Name, v.Revision, v.Subject, v.Dirty, v.Repo = src.Rev, id.id, id.subject, id.dirty, d.repo.top
		if d.cfg.Run != "" {
			v.Template = d.cfg.Run
			v.template, err = parseTemplate(d.cfg.Run)
		}
	default:
		v.Name = "this program"
	}
	if err == nil && v.template == nil {
		v.Args = words
		v.args, err = arguments(words)
	}
	if err == nil && v.template != nil && len(words) > 0 {
		err = fmt.Errorf("--args and --%s-args are for this program's write, not for a command", side)
	}
	if err != nil {
		return nil, &UsageError{err}
	}
	if len(src.Args) > 0 {
		v.Name = strings.TrimSpace(src.Rev + " " + strings.Join(src.Args, " "))
	}
	return v, nil
}

// early finds what cannot work before anything is built.
func (d *variants) early() error {
	for i := range d.cfg.Cases {
		c := &d.cfg.Cases[i]
		var cannot []error
		for _, side := range d.sides() {
			v, err := d.plan(side)
			if err != nil {
				return err
			}
			if v.template == nil {
				continue
			}
			v.built = &built{Commit: v.Revision}
			if _, err := v.command(c, placesIn("/", "/")); err != nil {
				return usage("%s's command: %w", side, err)
			}
			if err := v.fits(c); err != nil {
				cannot = append(cannot, err)
			}
		}
		if len(cannot) == len(d.sides()) {
			return usage("case %s: %w", c.Name, cannot[0])
		}
	}
	return nil
}

// prepare builds and probes a side.
func (d *variants) prepare(ctx context.Context, side stats.Side) (*variant, error) {
	v, err := d.plan(side)
	if err != nil {
		return nil, err
	}
	if v.Revision != "" {
		if err := d.build(ctx, v); err != nil {
			return nil, err
		}
	}
	switch {
	case v.template != nil:
		err = d.findProgram(v)
	case v.built != nil:
		v.exe, v.Binary, v.SHA256 = v.built.bin(), v.built.bin(), v.built.SHA256
	default:
		v.exe, v.name, v.Binary = d.self.Exe, d.self.Name, d.self.Exe
		v.SHA256, err = rundir.SHA256(ctx, v.exe)
	}
	if err != nil || v.template != nil {
		return v, err
	}
	if v.can, err = probe(ctx, v.exe, v.name, d.self.Env); err != nil {
		return nil, fmt.Errorf("%s (%s): %w", side, v.Label(), err)
	}
	v.Program = v.can.Build
	return v, d.checkFlags(v)
}

func (d *variants) build(ctx context.Context, v *variant) error {
	b := builder{
		repo: d.repo, dir: filepath.Join(d.self.CacheDir, "compare", d.repo.id), command: defaultBuild,
		keep: v.template != nil, rebuild: d.cfg.Rebuild, env: d.self.Env, now: d.self.Now,
	}
	if d.cfg.Build != "" {
		b.command = d.cfg.Build
	}
	d.hooks.step(0, 0, fmt.Sprintf("building %s (%s)", v.Side, v.Label()))
	out, err := b.build(ctx, v.Revision)
	if err != nil {
		return fmt.Errorf("%s: %w", v.Side, err)
	}
	v.built, v.dir = out, out.tree()
	v.BuiltBy, v.Tools, v.Secs, v.Cached, v.SHA256 = out.Command, out.Toolchain, out.Secs, out.cached, out.SHA256
	if !out.cached {
		d.hooks.say("%s built in %.0f s: %s", v.Side, out.Secs, v.Label())
	}
	return nil
}

// findProgram finds and hashes what a template runs.
func (d *variants) findProgram(v *variant) error {
	first := v.template[:1]
	words, err := first.fill(func(name string) (string, bool) { return v.place(&Case{}, places{}, name) })
	if err != nil {
		return usage("%s's command: %w", v.Side, err)
	}
	path, err := lookPath(words[0], v.dir)
	if err != nil {
		return fmt.Errorf("%s's command: %w", v.Side, err)
	}
	v.Binary = path
	v.SHA256, err = rundir.SHA256(context.Background(), path)
	return err
}

// lookPath finds a program; one with a slash is relative to dir.
func lookPath(name, dir string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) && !filepath.IsAbs(name) && dir != "" {
		name = filepath.Join(dir, name)
	}
	path, err := exec.LookPath(name)
	if errors.Is(err, exec.ErrDot) {
		err = nil
	}
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// checkFlags makes sure that a side takes what every run gives it.
func (d *variants) checkFlags(v *variant) error {
	names := slices.Clone(ofWrite)
	for _, o := range v.args {
		names = append(names, o.Name)
	}
	err := v.lacks(names, func(o string) string { return v.effective(&Case{}, o) })
	if err != nil {
		return &UsageError{err}
	}
	return nil
}

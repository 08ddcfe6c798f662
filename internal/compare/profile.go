package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// profile makes one more run a side, with profiles written and nothing
// measured. Commands know no profiles of ours.
func (d *driver) profile(ctx context.Context, c *Case) error {
	if !d.cfg.Profile {
		return nil
	}
	for _, v := range d.sides() {
		if v.template != nil {
			d.noteOnce("%s is a command, so it was not profiled", v.Side)
			continue
		}
		if err := d.profileSide(ctx, v, c); err != nil {
			return err
		}
	}
	return nil
}

func (d *driver) profileSide(ctx context.Context, v *variant, c *Case) (err error) {
	dir, err := filepath.Abs(filepath.Join(d.store.dir, profilesDir))
	if err != nil {
		return err
	}
	p := placesIn(filepath.Join(d.store.work, "profile-"+string(v.Side)), d.cfg.Input.Path)
	for _, made := range []string{dir, p.temp} {
		if err := os.MkdirAll(made, 0o777); err != nil {
			return err
		}
	}
	defer func() { err = errors.Join(err, os.RemoveAll(p.root)) }()
	words, err := v.command(c, p)
	if err != nil {
		return err
	}
	stem := filepath.Join(dir, fmt.Sprintf("%s-%s-%.12s", fileName(c.Name), v.Side, cmp.Or(v.Revision, v.SHA256)))
	words = append(words, "--cpuprofile="+stem+".cpu.pprof", "--memprofile="+stem+".mem.pprof")
	d.hooks.step(d.done, d.total, fmt.Sprintf("%s, %s, profiled", c.Name, v.Side))
	m, err := d.self.measure(ctx, d.job(v, p, words))
	if err != nil {
		return err
	}
	if f := m.failure(); f != "" {
		said, _ := os.ReadFile(p.stderr)
		d.note("%s, %s: no profile: %s: %s", c.Name, v.Side, f, lastLines(said, 1))
	}
	return nil
}

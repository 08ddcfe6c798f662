package compare

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/shufflebench/shufflebench/internal/report"
)

// Case is a set of options, flags of write, under a name.
type Case struct {
	Name string
	set  options
}

// Options lists the options in the order of their names; partitions and
// concurrent-tasks are always there.
func (c *Case) Options() []report.Option {
	full := options{optPartitions: optionDefaults[optPartitions], optTasks: optionDefaults[optTasks]}.with(c.set)
	var out []report.Option
	for _, k := range full.keys() {
		out = append(out, report.Option{Name: k, Value: full[k]})
	}
	return out
}

// get is an option's value, or write's default.
func (c *Case) get(key string) (string, bool) {
	if v, ok := c.set[key]; ok {
		return v, true
	}
	v, ok := optionDefaults[key]
	return v, ok
}

// flags is the case as write's command line.
func (c *Case) flags() []string {
	var out []string
	for _, o := range c.Options() {
		out = append(out, "--"+o.Name+"="+o.Value)
	}
	return out
}

// The options that every case has, and the short names of options.
const (
	optPartitions = "partitions"
	optTasks      = "concurrent-tasks"
)

var optionAliases = map[string]string{"tasks": optTasks, "batch": "batch-size"}

// optionDefaults are write's own, for commands that must be told.
var optionDefaults = map[string]string{
	optPartitions: "200", optTasks: "1", "batch-size": "8192", "codec": "lz4", "zstd-level": "1", "limit": "0",
	"partitioning": "hash", "hash-columns": "0", "write-buffer-size": "1048576",
}

// ofDriver are flags of write that a comparison sets itself.
var ofDriver = []string{
	"input", "output-dir", "csv", "json", "iterations", "warmup", "validate", "variant", "keep", "cpuprofile", "memprofile", "trace",
}

// seedOptions spill after every batch of 32,768 rows; see docs/benchmarking.md.
const seedOptions = "batch-size=32768,max-buffer-bytes=1"

// SeedCases are the cases of the seed workload, known as "seed".
var SeedCases = []string{"200p_1task", "16000p_1task", "16000p_8tasks"}

var shortCase = regexp.MustCompile(`^([0-9][0-9_]*)p(?:[_/]([0-9]+)(?:tasks?)?)?$`)

// ParseCase reads "16000p_8tasks" or "16000p_8tasks,codec=zstd,zstd-level=3",
// or "seed", which stands for three.
func ParseCase(text string) ([]Case, error) {
	name, rest, more := strings.Cut(text, ",")
	if name == "seed" {
		return parseSeed(rest)
	}
	m := shortCase.FindStringSubmatch(name)
	if m == nil {
		return nil, fmt.Errorf("%q is no case, such as 200p_1task, 16000p_8tasks,codec=zstd or seed", text)
	}
	set := options{optPartitions: strings.ReplaceAll(m[1], "_", ""), optTasks: cmp.Or(m[2], "1")}
	label := set.short()
	if !more {
		return []Case{{label, set}}, nil
	}
	extra, err := parseOptions(rest)
	if err != nil {
		return nil, fmt.Errorf("case %q: %w", text, err)
	}
	return []Case{{label + extra.suffix(), set.with(extra)}}, nil
}

func parseSeed(rest string) ([]Case, error) {
	extra := options{}
	var err error
	if rest != "" {
		if extra, err = parseOptions(rest); err != nil {
			return nil, fmt.Errorf("case seed: %w", err)
		}
	}
	always, err := parseOptions(seedOptions)
	if err != nil {
		return nil, err
	}
	var out []Case
	for _, s := range SeedCases {
		cs, err := ParseCase(s)
		if err != nil {
			return nil, err
		}
		out = append(out, Case{s + extra.suffix(), cs[0].set.with(always).with(extra)})
	}
	return out, nil
}

// options are a case's by name.
type options map[string]string

func parseOptions(text string) (options, error) {
	set := options{}
	for _, part := range strings.Split(text, ",") {
		key, value, ok := strings.Cut(part, "=")
		if !ok {
			return nil, fmt.Errorf("%q is no option, such as codec=zstd", part)
		}
		if err := set.add(key, value); err != nil {
			return nil, err
		}
	}
	return set, nil
}

func (o options) add(key, value string) error {
	key = canonicalOption(strings.TrimSpace(key))
	if _, twice := o[key]; twice {
		return fmt.Errorf("option %s is set twice", key)
	}
	if slices.Contains(ofDriver, key) {
		return fmt.Errorf("option %s belongs to the comparison, not to a case", key)
	}
	if key == "" {
		return fmt.Errorf("an option without a name")
	}
	o[key] = strings.TrimSpace(value)
	return nil
}

func canonicalOption(key string) string {
	key = strings.TrimPrefix(key, "--")
	if full, ok := optionAliases[key]; ok {
		return full
	}
	return key
}

// with adds or replaces.
func (o options) with(more options) options {
	out := options{}
	for _, set := range []options{o, more} {
		for k, v := range set {
			out[k] = v
		}
	}
	return out
}

// short is the name that write gives: 16000p_8tasks.
func (o options) short() string {
	tasks := "1task"
	if n := o[optTasks]; n != "1" && n != "" {
		tasks = n + "tasks"
	}
	return cmp.Or(o[optPartitions], optionDefaults[optPartitions]) + "p_" + tasks
}

// suffix names the options that are not in the short name.
func (o options) suffix() string {
	s := ""
	for _, k := range o.keys() {
		if k != optPartitions && k != optTasks {
			s += "," + k + "=" + o[k]
		}
	}
	return s
}

func (o options) keys() []string {
	var keys []string
	for k := range o {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

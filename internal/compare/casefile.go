package compare

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"go.yaml.in/yaml/v3"
)

// File is a case file: YAML, of which JSON is a part.
//
//	rounds: 12
//	threshold: time=3%,rss=5%
//	args: [--engine=ranges]          # both sides; base-args and head-args one
//	defaults: {batch-size: 32768}    # of every case
//	cases:
//	  - 200p_1task                   # as --case takes it
//	  - partitions: [200, 16000]     # lists sweep: four cases
//	    codec: [lz4, zstd]
//	  - name: big
//	    partitions: 16000
//	    tasks: 8
type File struct {
	Input     string      `yaml:"input"`
	Rounds    int         `yaml:"rounds"`
	Threshold string      `yaml:"threshold"`
	Args      []string    `yaml:"args"`
	BaseArgs  []string    `yaml:"base-args"`
	HeadArgs  []string    `yaml:"head-args"`
	Defaults  yaml.Node   `yaml:"defaults"`
	Entries   []yaml.Node `yaml:"cases"`

	Cases []Case `yaml:"-"`
}

// ReadFile reads a case file and works out its cases. Errors name file and
// line; a key that is not known is one.
func ReadFile(name string) (*File, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("case file: %w", err)
	}
	f := new(File)
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(f); err != nil && !errors.Is(err, io.EOF) {
		return nil, &UsageError{fmt.Errorf("case file %s: %w", name, err)}
	}
	if err := f.expand(); err != nil {
		return nil, &UsageError{fmt.Errorf("case file %s: %w", name, err)}
	}
	return f, nil
}

func (f *File) expand() error {
	defaults, err := f.defaults()
	if err != nil {
		return fmt.Errorf("defaults: %w", err)
	}
	for i := range f.Entries {
		cases, err := entry(&f.Entries[i], defaults)
		if err != nil {
			return fmt.Errorf("line %d: %w", f.Entries[i].Line, err)
		}
		f.Cases = append(f.Cases, cases...)
	}
	if len(f.Cases) == 0 {
		return errors.New("it lists no cases")
	}
	return nil
}

// defaults are single values.
func (f *File) defaults() (options, error) {
	axes, err := axesOf(&f.Defaults)
	set := options{}
	for _, a := range axes {
		if len(a.Values) != 1 {
			return nil, fmt.Errorf("%s has several values; lists belong into cases", a.Option)
		}
		err = errors.Join(err, set.add(a.Option, a.Values[0]))
	}
	return set, err
}

// entry is a case as --case takes it, or a map of options.
func entry(n *yaml.Node, defaults options) ([]Case, error) {
	if n.Kind == yaml.ScalarNode {
		cases, err := ParseCase(n.Value)
		for i := range cases {
			cases[i].set = defaults.with(cases[i].set)
		}
		return cases, err
	}
	axes, err := axesOf(n)
	if err != nil {
		return nil, err
	}
	name := ""
	if at := slices.IndexFunc(axes, func(a Axis) bool { return a.Option == "name" }); at >= 0 {
		name = axes[at].Values[0]
		axes = slices.Delete(axes, at, at+1)
	}
	return entryCases(name, axes, defaults)
}

// entryCases sweeps a map's lists; its single values are in the names, as they
// would be in --case.
func entryCases(name string, axes []Axis, defaults options) ([]Case, error) {
	fixed, all := options{}, options{}.with(defaults)
	var lists []Axis
	for _, a := range axes {
		delete(all, canonicalOption(a.Option))
		if len(a.Values) > 1 {
			lists = append(lists, a)
			continue
		}
		if err := fixed.add(a.Option, a.Values[0]); err != nil {
			return nil, err
		}
	}
	start := Case{fixed.suffix(), all.with(fixed)}
	if name == "" {
		return Sweep([]Case{start}, lists)
	}
	start.Name = ""
	cases, err := Sweep([]Case{start}, lists)
	for i := range cases {
		if cases[i].Name = name + "/" + cases[i].Name; len(cases) == 1 {
			cases[i].Name = name
		}
	}
	return cases, err
}

// axesOf reads a map of options whose values are scalars or lists of them.
func axesOf(n *yaml.Node) ([]Axis, error) {
	if n.Kind == 0 {
		return nil, nil
	}
	if n.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: not a map of options", n.Line)
	}
	var axes []Axis
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		a := Axis{Option: key.Value}
		items := []*yaml.Node{value}
		if value.Kind == yaml.SequenceNode {
			items = value.Content
		}
		for _, item := range items {
			if item.Kind != yaml.ScalarNode || item.Tag == "!!null" {
				return nil, fmt.Errorf("line %d: option %s needs a value or a list of values", item.Line, key.Value)
			}
			a.Values = append(a.Values, item.Value)
		}
		if len(a.Values) == 0 {
			return nil, fmt.Errorf("line %d: option %s has an empty list", value.Line, key.Value)
		}
		axes = append(axes, a)
	}
	return axes, nil
}

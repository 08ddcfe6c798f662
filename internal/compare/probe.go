package compare

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// abilities is what a revision of this program says that it can do.
type abilities struct {
	metrics.Build
	Can struct {
		Engines       []string `json:"engines"`
		Codecs        []string `json:"codecs"`
		Partitionings []string `json:"partitionings"`
		Commands      []string `json:"commands"`
		WriteFlags    []string `json:"write_flags"`
	} `json:"capabilities"`
}

// probeTime is how long a program may take to describe itself.
const probeTime = 30 * time.Second

// probe asks a program for its abilities.
func probe(ctx context.Context, exe, name string, env []string) (*abilities, error) {
	limited, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	cmd := exec.CommandContext(limited, exe, "version", "--json")
	cmd.Env, cmd.SysProcAttr = env, ownGroup()
	if name != "" {
		cmd.Args[0] = name
	}
	var talk bytes.Buffer
	cmd.Stderr = &talk
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("it does not answer version --json: %w: %s", err, lastLines(talk.Bytes(), 1))
	}
	a := new(abilities)
	if err := json.Unmarshal(out, a); err != nil || len(a.Can.WriteFlags) == 0 {
		return nil, fmt.Errorf("it answers version --json with something else than its abilities")
	}
	return a, nil
}

// UnknownNameError is a name that a side does not know.
type UnknownNameError struct {
	What  string // "flag of base's write"
	Got   string
	Known []string
}

// Error lists the known names.
func (e *UnknownNameError) Error() string {
	return fmt.Sprintf("unknown %s %q (known: %s)", e.What, e.Got, strings.Join(e.Known, ", "))
}

// lacks finds the first option that a side cannot take, nil if it takes all.
func (v *variant) lacks(options []string, value func(string) string) error {
	if v.can == nil {
		return nil
	}
	for _, o := range options {
		if !slices.Contains(v.can.Can.WriteFlags, o) {
			return &UnknownNameError{fmt.Sprintf("flag of %s's write", v.Side), o, v.can.Can.WriteFlags}
		}
		known := map[string][]string{
			"engine": v.can.Can.Engines, "codec": v.can.Can.Codecs, "partitioning": v.can.Can.Partitionings,
		}[o]
		if known != nil && !slices.Contains(known, value(o)) {
			return &UnknownNameError{fmt.Sprintf("%s of %s", o, v.Side), value(o), known}
		}
	}
	return nil
}

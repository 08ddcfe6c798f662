package main

import (
	"strings"
	"testing"
)

// TestEscapesOnlyOnATerminal: color where a person reads, a progress line on
// stderr alone, and neither where the terminal or the person does not want it.
func TestEscapesOnlyOnATerminal(t *testing.T) {
	input := testFixture(t, 100_000)
	for _, c := range []struct {
		name          string
		tty           bool
		env           map[string]string
		color, moving bool
	}{
		{"pipe", false, nil, false, false},
		{"terminal", true, nil, true, true},
		{"NO_COLOR", true, map[string]string{"NO_COLOR": "1"}, false, true},
		{"dumb", true, map[string]string{"TERM": "dumb"}, false, false},
	} {
		st, _, out, talk := inProcess(t, "write", "--input", input, "--iterations", "3", "--partitions", "2000", "--max-buffer-bytes", "1")
		st.stdout.tty, st.stderr.tty = c.tty, c.tty
		st.env = func(name string) string { return c.env[name] }
		if code := run(st); code != exitOK {
			t.Fatalf("%s: exit code %d: %s", c.name, code, talk)
		}
		if got := strings.Contains(out.String(), "\x1b["); got != c.color {
			t.Errorf("%s: escapes on stdout: %v", c.name, got)
		}
		if got := strings.Contains(talk.String(), "\x1b["); got != c.moving {
			t.Errorf("%s: escapes on stderr: %v", c.name, got)
		}
		if c.moving && !strings.HasSuffix(talk.String(), "\r\x1b[K") {
			t.Errorf("%s: the progress line is not cleared: %q", c.name, talk)
		}
	}
}

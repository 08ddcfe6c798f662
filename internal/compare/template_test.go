package compare

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/shufflebench/shufflebench/internal/report"
)

func TestParseTemplate(t *testing.T) {
	for text, want := range map[string][]string{
		"a b  c":                      {"a", "b", "c"},
		" a\t'b c' \"d e\"\n":         {"a", "b c", "d e"},
		`a\ b "c\"d" 'e\f'`:           {"a b", `c"d`, `e\f`},
		`'' ""`:                       {"", ""},
		`x'y'"z"`:                     {"xyz"},
		"sh -c 'a | b > c; $X `y` &'": {"sh", "-c", "a | b > c; $X `y` &"},
	} {
		got, err := parseTemplate(text)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "empty", "  ": "empty", "'a": "not closed", `"a`: "not closed", `a\`: "not closed",
		"a | b": "needs a shell", "a > b": "needs a shell", "$A": "needs a shell", `"$A"`: "needs a shell", "a;b": "needs a shell",
	} {
		if _, err := parseTemplate(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

func TestFill(t *testing.T) {
	tm := template{"run", "--in={input}", "{input}/{output}", `{"json": 1}`, "{}"}
	if got := tm.names(); !slices.Equal(got, []string{"input", "output"}) {
		t.Errorf("names are %q", got)
	}
	values := map[string]string{"input": "a b", "output": "{input}"}
	look := func(n string) (string, bool) { v, ok := values[n]; return v, ok }
	got, err := tm.fill(look)
	if want := []string{"run", "--in=a b", "a b/{input}", `{"json": 1}`, "{}"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("filled %q, %v; want %q", got, err, want)
	}
	if _, err := (template{"{inptu}"}).fill(look); err == nil || !strings.Contains(err.Error(), "{inptu}") {
		t.Errorf("unknown placeholder: %v", err)
	}
}

// FuzzCommandLine: what CommandLine writes, both our splitter and a shell read back.
func FuzzCommandLine(f *testing.F) {
	for _, s := range []string{"a", "", "a b", "it's", `"$x" \ | {input}`, "\n", "ä", "-n", "*"} {
		f.Add(s, "b")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		words := []string{"w" + a, b}
		if strings.ContainsRune(a+b, 0) || !validText(a) || !validText(b) {
			return
		}
		got, err := parseTemplate(report.CommandLine(words))
		if err != nil || !slices.Equal(got, words) {
			t.Errorf("%q is read back as %q, %v", words, got, err)
		}
	})
}

func validText(s string) bool { return strings.ToValidUTF8(s, "") == s }

func TestCommandLineIsShells(t *testing.T) {
	words := []string{"it's", `"$HOME"`, "a b", `back\slash`, "`x`", "*", "", "ä"}
	out, err := exec.Command("sh", "-c", `printf '%s\n' `+report.CommandLine(words)).Output()
	if err != nil {
		t.Skipf("no shell: %v", err)
	}
	if got := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"); !slices.Equal(got, words) {
		t.Errorf("a shell reads %q, want %q", got, words)
	}
}

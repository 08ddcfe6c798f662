package compare

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// listed is cases one a line: name and write's flags.
func listed(cases []Case) string {
	var b strings.Builder
	for i := range cases {
		fmt.Fprintf(&b, "%s: %s\n", cases[i].Name, strings.Join(cases[i].flags(), " "))
	}
	return b.String()
}

func TestParseCase(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"200p_1task", "200p_1task: --concurrent-tasks=1 --partitions=200\n"},
		{"16000p_8tasks", "16000p_8tasks: --concurrent-tasks=8 --partitions=16000\n"},
		{"16_000p/8", "16000p_8tasks: --concurrent-tasks=8 --partitions=16000\n"},
		{"200p", "200p_1task: --concurrent-tasks=1 --partitions=200\n"},
		{"7p_2tasks,codec=zstd,batch=100", "7p_2tasks,batch-size=100,codec=zstd: --batch-size=100 --codec=zstd --concurrent-tasks=2 --partitions=7\n"},
		{"seed,engine=ranges", "" +
			"200p_1task,engine=ranges: --batch-size=32768 --concurrent-tasks=1 --engine=ranges --max-buffer-bytes=1 --partitions=200\n" +
			"16000p_1task,engine=ranges: --batch-size=32768 --concurrent-tasks=1 --engine=ranges --max-buffer-bytes=1 --partitions=16000\n" +
			"16000p_8tasks,engine=ranges: --batch-size=32768 --concurrent-tasks=8 --engine=ranges --max-buffer-bytes=1 --partitions=16000\n"},
	} {
		cases, err := ParseCase(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := listed(cases); got != c.want {
			t.Errorf("%s gives\n%swant\n%s", c.text, got, c.want)
		}
	}
}

func TestParseCaseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "is no case",
		"200":                        "is no case",
		"p_1task":                    "is no case",
		"200p_1task,codec":           "is no option",
		"200p_1task,codec=a,codec=b": "set twice",
		"200p_1task,csv=x":           "belongs to the comparison",
		"200p_1task,=x":              "without a name",
		"seed,x":                     "is no option",
	} {
		_, err := ParseCase(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

func TestSweep(t *testing.T) {
	one, err := ParseCase("200p_1task")
	if err != nil {
		t.Fatal(err)
	}
	cases, err := Sweep(one, []Axis{{"codec", []string{"lz4", "zstd"}}, {"batch-size", []string{"100"}}})
	if err != nil {
		t.Fatal(err)
	}
	want := "200p_1task,codec=lz4: --batch-size=100 --codec=lz4 --concurrent-tasks=1 --partitions=200\n" +
		"200p_1task,codec=zstd: --batch-size=100 --codec=zstd --concurrent-tasks=1 --partitions=200\n"
	if got := listed(cases); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	cases, err = Sweep(nil, []Axis{{"partitions", []string{"4", "8"}}, {"tasks", []string{"1", "2"}}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range cases {
		names = append(names, c.Name)
	}
	if got := strings.Join(names, " "); got != "4p_1task 4p_2tasks 8p_1task 8p_2tasks" {
		t.Errorf("names are %s", got)
	}
	if _, err := Sweep(one, []Axis{{"partitions", []string{"4"}}}); err == nil || !strings.Contains(err.Error(), "sets partitions already") {
		t.Errorf("a case and a flag for the same option: %v", err)
	}
}

const caseFile = `# what CI runs
rounds: 12
threshold: time=4%
args: [--engine=ranges]
head-args: [--workers=2]
defaults: {batch-size: 32768, partitions: 50}
cases:
  - 200p_1task,codec=zstd
  - partitions: [4, 8]
    codec: [lz4, none]
    zstd-level: 3
  - name: big
    partitions: 16000
    tasks: 8
  - tasks: 2
`

func TestCaseFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "cases.yaml")
	if err := os.WriteFile(name, []byte(caseFile), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if f.Rounds != 12 || f.Threshold != "time=4%" || len(f.Args) != 1 || len(f.HeadArgs) != 1 {
		t.Errorf("read %+v", f)
	}
	want := `200p_1task,codec=zstd: --batch-size=32768 --codec=zstd --concurrent-tasks=1 --partitions=200
4p_1task,zstd-level=3,codec=lz4: --batch-size=32768 --codec=lz4 --concurrent-tasks=1 --partitions=4 --zstd-level=3
4p_1task,zstd-level=3,codec=none: --batch-size=32768 --codec=none --concurrent-tasks=1 --partitions=4 --zstd-level=3
8p_1task,zstd-level=3,codec=lz4: --batch-size=32768 --codec=lz4 --concurrent-tasks=1 --partitions=8 --zstd-level=3
8p_1task,zstd-level=3,codec=none: --batch-size=32768 --codec=none --concurrent-tasks=1 --partitions=8 --zstd-level=3
big: --batch-size=32768 --concurrent-tasks=8 --partitions=16000
50p_2tasks: --batch-size=32768 --concurrent-tasks=2 --partitions=50
`
	if got := listed(f.Cases); got != want {
		t.Errorf("cases are\n%swant\n%s", got, want)
	}
}

func TestCaseFileRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "lists no cases",
		"case: [200p]":                  "field case not found",
		"cases: [{partitions: {a: 1}}]": "needs a value or a list",
		"cases:\n  - 200p\n  - 300q":    "line 3: \"300q\" is no case",
		"cases: [{partitions: []}]":     "empty list",
		"cases: [[200p]]":               "not a map of options",
		"defaults: {codec: [a, b]}\ncases: [200p]": "lists belong into cases",
		"rounds: many\ncases: [200p]":              "cannot unmarshal",
	} {
		name := filepath.Join(t.TempDir(), "cases.yaml")
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := ReadFile(name)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

func TestThresholds(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "[{time write_secs 0.03} {rss max_rss_mib 0.05}]",
		"time=3%,rss=5%":        "[{time write_secs 0.03} {rss max_rss_mib 0.05}]",
		"2%":                    "[{time write_secs 0.02} {rss max_rss_mib 0.02}]",
		"time=0.5 %, rss=off":   "[{time write_secs 0.005}]",
		"bytes=0%,spills=0.01":  "[{time write_secs 0.03} {rss max_rss_mib 0.05} {bytes output_bytes_per_task 0} {spills spills_per_task 0.01}]",
		"cpu_user_secs=10%":     "[{time write_secs 0.03} {rss max_rss_mib 0.05} {cpu_user_secs cpu_user_secs 0.1}]",
		"write_secs=4%,rss=off": "[{time write_secs 0.04}]",
	} {
		got, err := ParseThresholds(text)
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%q: %v, %v; want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"tme=3%":           "no metric is called",
		"codec=3%":         "no metric is called",
		"round=3%":         "no metric is called",
		"time=3":           "write 3%",
		"time=-1%":         "is not between",
		"time=x":           "is no share",
		"time=0%":          "cannot be held to 0",
		"time=NaN%":        "is not between",
		"time=off,rss=off": "no metric to judge",
	} {
		if _, err := ParseThresholds(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

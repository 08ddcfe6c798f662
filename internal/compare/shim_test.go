package compare

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The test binary is also the shim, and a program to be measured.
const eatCommand = "eat-memory"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case ShimCommand:
			if err := Shim(context.Background(), os.Stdin, os.Stdout); err != nil {
				os.Stderr.WriteString(err.Error() + "\n")
				os.Exit(1)
			}
			os.Exit(0)
		case "validate":
			os.Exit(fakeValidate(os.Args[2:]))
		case eatCommand:
			eat(os.Args[2])
			os.Exit(0)
		}
	}
	goleak.VerifyTestMain(m)
}

// eat touches so many MiB.
func eat(text string) {
	mib, err := strconv.Atoi(text)
	if err != nil {
		os.Exit(2)
	}
	b := make([]byte, mib<<20)
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	runtime.KeepAlive(b)
}

func testSelf(t *testing.T) *Self {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "GORACE=atexit_sleep_ms=0") // else each shim would sleep for a second
	return &Self{Exe: exe, Name: exe, Env: env, Now: time.Now, CacheDir: filepath.Join(t.TempDir(), "cache")}
}

func (s *Self) job(t *testing.T, argv ...string) job {
	t.Helper()
	dir := t.TempDir()
	return job{Argv: argv, Dir: dir, Env: s.Env, Stdout: filepath.Join(dir, "out"), Stderr: filepath.Join(dir, "err")}
}

func mustMeasure(t *testing.T, s *Self, argv ...string) *measured {
	t.Helper()
	m, err := s.measure(t.Context(), s.job(t, argv...))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestPeakIsTheCommandsOwn: neither a big driver nor the case before changes
// what is measured, and what is measured is what was used.
func TestPeakIsTheCommandsOwn(t *testing.T) {
	if runtime.GOOS != "linux" || raceDetector {
		t.Skip("peaks are exact on Linux, and the race detector has memory of its own")
	}
	s := testSelf(t)
	const mib = 1 << 20
	peak := func(n int) float64 {
		m := mustMeasure(t, s, s.Exe, eatCommand, strconv.Itoa(n))
		if f := m.failure(); f != "" {
			t.Fatal(f)
		}
		return float64(m.PeakRSS) / mib
	}
	none := peak(0)
	for _, n := range []int{100, 3, 50} { // a big one before a small one
		if got := peak(n) - none; got < float64(n)-2 || got > float64(n)+6 {
			t.Errorf("a command that eats %d MiB more takes %.1f MiB more", n, got)
		}
	}
	ballast := make([]byte, 300*mib)
	for i := 0; i < len(ballast); i += 4096 {
		ballast[i] = 1
	}
	if got := peak(0); got > none+4 {
		t.Errorf("with a driver of 300 MiB the same command has a peak of %.1f MiB, without %.1f", got, none)
	}
	runtime.KeepAlive(ballast)
}

// TestSmallPeaks: below the shim's own size peaks are sampled.
func TestSmallPeaks(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("small peaks are read from /proc")
	}
	m := mustMeasure(t, testSelf(t), "sleep", "0.1")
	t.Logf("sleep has a peak of %d KiB, the shim one of %d KiB", m.PeakRSS>>10, m.ShimRSS>>10)
	if !m.Sampled || m.PeakRSS <= 0 || m.PeakRSS > 6<<20 {
		t.Errorf("sleep: peak %d bytes, sampled %v", m.PeakRSS, m.Sampled)
	}
	if m.ShimRSS > 16<<20 && !raceDetector {
		t.Errorf("the shim holds %d MiB", m.ShimRSS>>20)
	}
}

// TestChildrenCount: the peak is the largest of the command's processes.
func TestChildrenCount(t *testing.T) {
	s := testSelf(t)
	if runtime.GOOS == "windows" {
		t.Skip("no sh")
	}
	m := mustMeasure(t, s, "sh", "-c", s.Exe+" "+eatCommand+" 64; true")
	if m.PeakRSS < 64<<20 {
		t.Errorf("sh with a child of 64 MiB has a peak of %d MiB", m.PeakRSS>>20)
	}
}

// TestWallIsTrue holds the shim's clock to one outside of it, within 3 % or
// 30 ms. A busy machine may come between the two, so one of some tries has to
// do: what is wrong with a clock is wrong each time.
func TestWallIsTrue(t *testing.T) {
	s := testSelf(t)
	for range 8 {
		j := s.job(t, "sh", "-c", "date +%s%N; sleep 0.4; date +%s%N")
		m, err := s.measure(t.Context(), j)
		if err != nil || m.failure() != "" {
			t.Fatal(err, m)
		}
		said, err := os.ReadFile(j.Stdout)
		if err != nil {
			t.Fatal(err)
		}
		var from, to int64
		if n, _ := fmt.Sscan(string(said), &from, &to); n != 2 {
			t.Skipf("date knows no nanoseconds: %q", said)
		}
		inside := time.Duration(to - from)
		if m.Wall < inside || m.Started.UnixNano() > from {
			t.Fatalf("the command took %v by its own clock, %v by the shim's", inside, m.Wall)
		}
		if m.Wall-inside <= max(30*time.Millisecond, inside*3/100) {
			return
		}
		t.Logf("the command took %v by its own clock, %v by the shim's", inside, m.Wall)
	}
	t.Error("the shim's clock differs from the command's")
}

func TestHowACommandEnds(t *testing.T) {
	s := testSelf(t)
	for want, argv := range map[string][]string{
		"exit status 3":           {"sh", "-c", "echo no >&2; exit 3"},
		"ended by signal: killed": {"sh", "-c", "kill -9 $$"},
		"could not be started":    {"/no/such/program"},
		"":                        {"sh", "-c", "echo fine"},
	} {
		j := s.job(t, argv...)
		m, err := s.measure(t.Context(), j)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.failure(); !strings.HasPrefix(got, want) || (want == "" && got != "") {
			t.Errorf("%q: %q, want %q", argv, got, want)
		}
		if said, _ := os.ReadFile(j.Stdout); want == "" && string(said) != "fine\n" {
			t.Errorf("standard output is %q", said)
		}
	}
}

// TestStopEndsAllProcesses: a command that is told to stop may clean up, and
// its children go with it.
func TestStopEndsAllProcesses(t *testing.T) {
	s := testSelf(t)
	j := s.job(t, "sh", "-c", `trap 'echo cleaned > cleaned; exit 1' TERM; sleep 60 & echo $! > child; wait`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { // once the command is under way, however slow the machine is
		for ctx.Err() == nil {
			if pid, _ := os.ReadFile(filepath.Join(j.Dir, "child")); len(pid) > 0 {
				cancel()
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	start := time.Now()
	_, err := s.measure(ctx, j)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if time.Since(start) > 30*time.Second {
		t.Errorf("stopping took %v", time.Since(start))
	}
	if _, err := os.Stat(filepath.Join(j.Dir, "cleaned")); err != nil {
		t.Errorf("the command could not clean up: %v", err)
	}
	pid, err := os.ReadFile(filepath.Join(j.Dir, "child"))
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" {
		gone := "/proc/" + strings.TrimSpace(string(pid)) + "/exe"
		for range 100 {
			if _, err := os.Readlink(gone); err != nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Error("the command's child still runs")
	}
}

func TestShimRefusesNonsense(t *testing.T) {
	for _, in := range []string{"", "x", "{}"} {
		if err := Shim(t.Context(), strings.NewReader(in), &strings.Builder{}); err == nil {
			t.Errorf("%q is taken for a job", in)
		}
	}
}

// TestCatch: output that a command removes is caught all the same.
func TestCatch(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs inotify")
	}
	s := testSelf(t)
	j := s.job(t, "sh", "-c", `mkdir -p left/task_0/deep; sleep 0.1; printf one > left/data.out; printf two > left/task_0/x.tmp; mv left/task_0/x.tmp left/task_0/x
		printf three > left/task_0/deep/y; printf old > left/z; sleep 0.2; rm left/z; printf new > left/z; sleep 0.2; rm -r left/*`)
	j.Watch, j.Catch = filepath.Join(j.Dir, "left"), filepath.Join(j.Dir, "caught")
	if err := os.Mkdir(j.Watch, 0o777); err != nil {
		t.Fatal(err)
	}
	m, err := s.measure(t.Context(), j)
	if err != nil || m.failure() != "" {
		t.Fatal(err, m)
	}
	for name, want := range map[string]string{"data.out": "one", "task_0/x": "two", "task_0/deep/y": "three", "z": "new"} {
		if got, err := os.ReadFile(filepath.Join(j.Catch, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if left := tree(t, j.Watch); left != "" {
		t.Errorf("the output holds\n%s", left)
	}
}

package metrics

import (
	"encoding/json"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv("METRICS_TEST_CHILD") != "" {
		json.NewEncoder(os.Stdout).Encode(Watch().Stop())
		return
	}
	goleak.VerifyTestMain(m)
}

var sink []byte

func touch(n int) {
	sink = make([]byte, n)
	for i := 0; i < n; i += 4096 {
		sink[i] = 1
	}
}

func TestUsageSeesHeapAndProcessor(t *testing.T) {
	const size = 64 << 20
	w := Watch()
	touch(size)
	for start := time.Now(); time.Since(start) < 5*SampleEvery; {
		runtime.KeepAlive(sink)
	}
	u := w.Stop()
	if u.HeapPeak < size || u.Allocated < size {
		t.Errorf("heap peak %d and allocated %d, want at least %d", u.HeapPeak, u.Allocated, size)
	}
	if u.UserCPU <= 0 {
		t.Errorf("user CPU %v", u.UserCPU)
	}
	if runtime.GOOS == "linux" && u.MaxRSS < size {
		t.Errorf("peak RSS %d, want at least %d", u.MaxRSS, size)
	}
}

// TestPeakIsTheChildsOwn: the peak of a child must not begin at its parent's.
func TestPeakIsTheChildsOwn(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("VmHWM is Linux's")
	}
	const size = 256 << 20
	touch(size)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "METRICS_TEST_CHILD=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	runtime.KeepAlive(sink)
	var u Usage
	if err := json.Unmarshal(out, &u); err != nil {
		t.Fatal(err)
	}
	if u.MaxRSS == 0 || u.MaxRSS >= size/2 {
		t.Errorf("a child of a parent that holds %d bytes reports a peak of %d", size, u.MaxRSS)
	}
	sink = nil
}

package bench

import (
	"os"
	"runtime"
	"testing"

	"github.com/prometheus/procfs"
)

// TestTrimGivesBackThePagesOfTheProgram, and the program goes on.
func TestTrimGivesBackThePagesOfTheProgram(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("VmHWM is Linux's")
	}
	before := fileRSS(t)
	trim()
	after := fileRSS(t)
	if after >= before {
		t.Errorf("file pages in memory: %d bytes before, %d after", before, after)
	}
	if _, err := os.ReadFile("trim_test.go"); err != nil {
		t.Error(err)
	}
}

func fileRSS(t *testing.T) uint64 {
	t.Helper()
	self, err := procfs.Self()
	if err != nil {
		t.Fatal(err)
	}
	status, err := self.NewStatus()
	if err != nil {
		t.Fatal(err)
	}
	return status.RssFile
}

package compare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// Shim is a shim's whole life: it reads a job from in, starts its command,
// waits, and writes what it measured to out. The end of in, which is the
// driver's end or wish, ends the command.
func Shim(ctx context.Context, in io.Reader, out io.Writer) error {
	dec := json.NewDecoder(in)
	var j job
	if err := dec.Decode(&j); err != nil {
		return fmt.Errorf("no job on standard input: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // ends with the process
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	m, err := carryOut(ctx, j)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(m)
}

// carryOut runs one command. The thread is held, for a command is tied to the
// thread that started it: it dies with the shim.
func carryOut(ctx context.Context, j job) (m *measured, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if len(j.Argv) == 0 {
		return nil, errors.New("a job without a command")
	}
	if err := pin(j.CPUs); err != nil {
		return nil, fmt.Errorf("pin to processors %v: %w", j.CPUs, err)
	}
	stdout, err := os.Create(j.Stdout)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stdout.Close()) }()
	stderr, err := os.Create(j.Stderr)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stderr.Close()) }()
	cmd := exec.Command(j.Argv[0], j.Argv[1:]...)
	if j.Name != "" {
		cmd.Args[0] = j.Name
	}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = j.Dir, j.Env, stdout, stderr, childAttr()
	if j.Watch != "" {
		if c, err := catchFiles(j.Watch, j.Catch); err == nil { // without it, such output is unverified
			defer c.close()
		}
	}
	slim()
	m = &measured{Started: time.Now()}
	if err := cmd.Start(); err != nil {
		m.Error = err.Error()
		return m, nil
	}
	m.await(ctx, cmd)
	return m, ctx.Err()
}

// peakMargin is by how much the kernel's counts of pages, which it keeps a
// processor, may be behind.
const peakMargin = 256 << 10

// await waits for the command and reads what it used.
func (m *measured) await(ctx context.Context, cmd *exec.Cmd) {
	m.ShimRSS = ownPeak() + peakMargin
	done := make(chan struct{})
	peak := make(chan int64, 1)
	go func() { peak <- samplePeak(cmd.Process.Pid, m.ShimRSS, done) }()
	go stopOn(ctx, cmd.Process.Pid, done)
	_ = cmd.Wait() // the state says it all
	m.Wall = time.Since(m.Started)
	close(done)
	st := cmd.ProcessState
	m.UserCPU, m.SysCPU = st.UserTime(), st.SystemTime()
	m.ExitCode, m.Signal = ended(st)
	m.PeakRSS = waitedPeak(st)
	if sampled := <-peak; m.PeakRSS <= m.ShimRSS && sampled > 0 {
		m.PeakRSS, m.Sampled = sampled, true
	}
}

// stopOn ends the command's processes when ctx ends: gently, and after a while
// by force.
func stopOn(ctx context.Context, pid int, done <-chan struct{}) {
	select {
	case <-done:
		return
	case <-ctx.Done():
	}
	signalGroup(pid, false)
	select {
	case <-done:
	case <-time.After(grace):
		signalGroup(pid, true)
	}
}

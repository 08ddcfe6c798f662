package compare

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// ShimCommand is the hidden command under which this program starts a command
// and measures it from outside.
const ShimCommand = "measure-command"

// job is what the driver tells a shim.
type job struct {
	Argv   []string `json:"argv"`
	Name   string   `json:"name,omitempty"` // argv[0], if not the program's path
	Dir    string   `json:"dir"`
	Env    []string `json:"env"`
	Stdout string   `json:"stdout"` // files
	Stderr string   `json:"stderr"`
	CPUs   []int    `json:"cpus,omitempty"`
	// Watch is a directory whose files get a second name below Catch, in case
	// that the command removes them.
	Watch string `json:"watch,omitempty"`
	Catch string `json:"catch,omitempty"`
}

// measured is what the shim tells the driver of a command that ended.
type measured struct {
	Error    string        `json:"error,omitempty"` // it could not be started
	Started  time.Time     `json:"started"`
	Wall     time.Duration `json:"wall_ns"`
	UserCPU  time.Duration `json:"user_ns"`
	SysCPU   time.Duration `json:"sys_ns"`
	PeakRSS  int64         `json:"peak_rss_bytes"`           // 0 if unknown
	Sampled  bool          `json:"sampled,omitempty"`        // below the shim's own memory, so read while it ran
	ShimRSS  int64         `json:"shim_rss_bytes,omitempty"` // the bound below which that is so
	ExitCode int           `json:"exit_code"`
	Signal   string        `json:"signal,omitempty"`
}

// failure says how the command ended badly, "" if it did not.
func (m *measured) failure() string {
	switch {
	case m.Error != "":
		return "could not be started: " + m.Error
	case m.Signal != "":
		return "ended by signal: " + m.Signal
	case m.ExitCode != 0:
		return fmt.Sprintf("exit status %d", m.ExitCode)
	}
	return ""
}

// grace is how long a command may take to clean up once it is told to stop.
const grace = 10 * time.Second

// measure has a fresh shim carry out a job. When ctx ends, the shim ends the
// command, first gently.
func (s *Self) measure(ctx context.Context, j job) (*measured, error) {
	text, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, s.Exe, ShimCommand)
	cmd.Args[0], cmd.Env, cmd.SysProcAttr = s.Name, s.Env, ownGroup()
	var out, talk bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &talk
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	cmd.Cancel, cmd.WaitDelay = in.Close, grace+5*time.Second
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("a process to measure could not be started: %w", err)
	}
	if _, err := in.Write(append(text, '\n')); err != nil {
		return nil, errors.Join(fmt.Errorf("the process that measures took no order: %w", err), cmd.Wait())
	}
	err = cmd.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("the process that measures ended badly: %w: %s", err, lastLines(talk.Bytes(), 1))
	}
	m := new(measured)
	if err := json.Unmarshal(out.Bytes(), m); err != nil {
		return nil, fmt.Errorf("the process that measures gave no proper reply: %w", err)
	}
	return m, nil
}

// lastLines are the last n lines that say something, joined.
func lastLines(b []byte, n int) string {
	var lines [][]byte
	for line := range bytes.Lines(b) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			lines = append(lines, line)
		}
	}
	return string(bytes.Join(lines[max(0, len(lines)-n):], []byte("; ")))
}

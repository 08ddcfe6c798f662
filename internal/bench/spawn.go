package bench

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// ChildCommand is the hidden command under which a child serves an order.
const ChildCommand = "serve-order"

// grace is how long a child may take to clean up once it is told to stop.
const grace = 15 * time.Second

// give starts a child with an order and waits for its reply.
func (s *Self) give(ctx context.Context, o Order) (*Reply, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, s.Exe, ChildCommand)
	cmd.Args[0], cmd.Env, cmd.Stderr = s.Name, s.Env, s.Stderr
	var out bytes.Buffer
	cmd.Stdout = &out
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	cmd.Cancel, cmd.WaitDelay = in.Close, grace
	if err := talkTo(cmd, in, append(text, '\n')); err != nil {
		return nil, cmp.Or(ctx.Err(), err)
	}
	var r Reply
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		return nil, fmt.Errorf("the process that was measured gave no proper reply: %w", err)
	}
	if r.Failure != nil {
		return nil, r.Failure
	}
	return &r, nil
}

// talkTo starts the child, hands it the order and waits for its end.
func talkTo(cmd *exec.Cmd, in io.Writer, order []byte) error {
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("a process to measure could not be started: %w", err)
	}
	_, werr := in.Write(order)
	err := cmd.Wait()
	switch {
	case err != nil:
		return fmt.Errorf("the process that was measured ended badly: %w", err)
	case werr != nil:
		return fmt.Errorf("the process that was measured took no order: %w", werr)
	}
	return nil
}

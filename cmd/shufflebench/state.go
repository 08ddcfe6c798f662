package main

import (
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"
)

// state is the process as a value. Only processState touches the real one.
type state struct {
	args    []string // without the program's name
	env     func(name string) string
	environ []string // handed to children
	stdin   io.Reader
	stdout  stream
	stderr  stream
	signals <-chan os.Signal // interrupts; the first ends gracefully, the second at once
	now     func() time.Time
	exit    func(code int) // at once, without cleaning up
	exe     func() (string, error)
	name    string // argv[0]
}

// stream is an output and whether a person reads it.
type stream struct {
	io.Writer
	tty bool
}

// processState is the real process.
func processState() *state {
	ch := make(chan os.Signal, 2)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM)
	return &state{
		args:    os.Args[1:],
		env:     os.Getenv,
		environ: os.Environ(),
		stdin:   os.Stdin,
		stdout:  stream{os.Stdout, term.IsTerminal(int(os.Stdout.Fd()))},
		stderr:  stream{os.Stderr, term.IsTerminal(int(os.Stderr.Fd()))},
		signals: ch,
		now:     time.Now,
		exit:    os.Exit,
		exe:     os.Executable,
		name:    os.Args[0],
	}
}

// color reports whether escape sequences are welcome on s.
func (st *state) color(s stream) bool {
	return s.tty && st.env("NO_COLOR") == "" && st.env("TERM") != "dumb"
}

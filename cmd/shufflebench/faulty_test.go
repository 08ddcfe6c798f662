package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/shufflebench/shufflebench/internal/bench"
	"github.com/shufflebench/shufflebench/internal/rundir"
)

// faulty is the program with a child or a validator that misbehaves as the
// environment variable FAULT says, for stories of what the driver then does.
func faulty() {
	st := processState()
	fault := os.Getenv("FAULT")
	switch {
	case len(st.args) > 0 && st.args[0] == bench.ChildCommand:
		os.Exit(faultyChild(st, fault))
	case len(st.args) > 0 && st.args[0] == "validate" && fault == "no-proof":
		fmt.Fprintln(os.Stderr, "shufflebench: out of memory")
		os.Exit(1)
	}
	os.Exit(run(st))
}

// faultyChild serves the order and then does harm.
func faultyChild(st *state, fault string) int {
	switch fault {
	case "die":
		return 7
	case "garble":
		fmt.Println("hello")
		return 0
	}
	in := bufio.NewReader(os.Stdin)
	line, err := in.ReadString('\n')
	var o bench.Order
	if err == nil {
		err = json.Unmarshal([]byte(line), &o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	st.stdin = io.MultiReader(strings.NewReader(line), in)
	code := run(st)
	for _, task := range harmed(fault, o.OutputDir) {
		harm(filepath.Join(o.OutputDir, task, "data.out"))
	}
	return code
}

// harmed lists the tasks whose data files a fault changes.
func harmed(fault, out string) []string {
	m, err := rundir.Read(out)
	second := err == nil && len(m.Rows) > 0
	switch {
	case fault == "flip", fault == "drift" && second:
		return []string{"task_0", "task_1"}
	case fault == "differ":
		return []string{"task_1"}
	}
	return nil
}

func harm(name string) {
	b, err := os.ReadFile(name)
	if err != nil {
		return
	}
	b[len(b)/2] ^= 0x10
	_ = os.WriteFile(name, b, 0o666)
}

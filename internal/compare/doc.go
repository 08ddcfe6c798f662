// Package compare measures two variants of a program side by side and says
// which is better. It imports no writer: it starts processes and reads rows.
//
//	base: revision, command or this program     head: likewise
//	  │ full id, worktree, one build              │
//	  └────────────────────┬──────────────────────┘
//	                       ▼ probed: every flag that is needed is there
//	case ── warm-up b, warm-up h ── round 1: b h ── round 2: h b ── round 3: b h ──
//	                                         │
//	   ┌─────────────────────────────────────┘  one run:
//	   │ gauge    a fixed piece of work, for the machine's sake
//	   │ start    shim ── command            fresh processes, own directory
//	   │          shim ◄─ ends: wall, peak memory, processor time from outside
//	   │          row of the command itself, where it speaks the protocol
//	   │ hash     every data and index file
//	   │ prove    this program's own validator, once for each new sha
//	   │ remove   what the run left
//	   └ row ───► samples.csv, at once
//
//	rows ──► pairs a case and metric ──► package stats ──► verdicts, outcome
//
// The protocol between revisions is the row: a program writes a CSV file whose
// header begins with the fourteen first columns of a row. Commands that do not
// speak it are measured from outside alone.
//
// # The shim
//
// A process that is started inherits its parent's peak memory in the kernel's
// accounts: ru_maxrss as wait4 gives it is at least what the parent held when
// it started the child. So no run is a child of the driver. A shim, the same
// program under a hidden command, gives back what memory it can, starts the
// command, waits for it and reports. Whatever exceeds the shim's own few MiB
// is exact; below, the peak is the largest VmHWM that was read while it ran.
// The shim also ends the command when the driver goes away.
//
// # The directory of a comparison
//
//	OUT/
//	├── compare.json    the whole: plan, machine, sides, verdicts, rows
//	├── samples.csv     rows, appended as runs end
//	├── commands.sh     how to build and run either side by hand
//	├── failed/         what a failed run said; wrong output with its findings
//	├── profiles/       with --profile
//	└── work/           output of the run under way; gone at the end
package compare

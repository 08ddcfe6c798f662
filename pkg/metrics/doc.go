// Package metrics says what was measured: the clock that splits a task's time
// into phases, peak memory and processor time, the machine, and the Row, which
// is one measured run.
//
// The registry of columns is the heart. Every figure is declared once, with
// its name, unit, meaning and what it leaves out; the CSV header, the JSON
// keys, the terminal table, `shufflebench explain` and the README's table are
// all made from it:
//
//	Row (Go fields) ──┬── Columns() ──► CSV header and records
//	                  │                 JSON keys and values
//	                  │                 labels and units of the table
//	                  └────────────────► explain, README
//
// The package imports nothing of this module, so that everything may import it.
package metrics

// Package compatibility has only a test: it writes, reads, hashes and proves
// every type with every engine, proves the files of other engines, and holds
// docs/compatibility.md to what came of it.
package compatibility

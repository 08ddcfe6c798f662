// Package vfs is the file system as the writer and the reader see it: a small
// interface, the operating system behind it, an in-memory twin, one that fails
// at the nth operation, and one that counts. Every error names the file.
//
//	        FS, File
//	  ┌────────┴────────────┐
//	stores                wrappers of any FS
//	  OS    the disk        Faulty    fails, shortens, damages
//	  Mem   a twin of it    Counting  calls, bytes, open files
//
// Package vfstest has the sweep that fails every operation of a run in turn.
package vfs

import (
	"io"
	"io/fs"
)

// FS is what shuffle code asks of a file system.
type FS interface {
	// Create makes or truncates a file for writing and reading. A file has at
	// most one handle that writes.
	Create(name string) (File, error)
	// Open opens a file for reading, or a directory for SyncDir.
	Open(name string) (File, error)
	// Scratch makes a nameless file in dir that is gone with its handle, also
	// when the process is killed, where the system allows that.
	Scratch(dir, label string) (File, error)
	// Rename replaces newName by oldName.
	Rename(oldName, newName string) error
	// Remove removes one file or one empty directory.
	Remove(name string) error
	// MkdirAll makes a directory and its parents.
	MkdirAll(dir string) error
	// Stat describes a file.
	Stat(name string) (fs.FileInfo, error)
	// List names the entries of a directory, sorted.
	List(dir string) ([]string, error)
}

// File is an open file. Writes append at the end; reads are positioned.
type File interface {
	io.Writer
	io.ReaderAt
	io.Closer
	// Name is the path for messages; a scratch file's tells directory and label.
	Name() string
	// Size is the file's present length in bytes.
	Size() (int64, error)
	// Sync makes the content durable.
	Sync() error
}

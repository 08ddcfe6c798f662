package vfs

import "fmt"

// Kind is a kind of operation on a file system or on one of its files.
type Kind uint8

// The kinds. File.Size is a stat; File.Name is no operation.
const (
	OpCreate Kind = iota
	OpOpen
	OpScratch
	OpRead
	OpWrite
	OpSync
	OpClose
	OpRename
	OpRemove
	OpMkdir
	OpStat
	OpList
	// NumKinds is the number of kinds.
	NumKinds
)

var kindNames = [NumKinds]string{
	"create", "open", "scratch", "read", "write", "sync", "close", "rename", "remove", "mkdir", "stat", "list",
}

// String is the kind's name in messages and metrics.
func (k Kind) String() string {
	if k >= NumKinds {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return kindNames[k]
}

// Op is one operation, as a Faulty meets it.
type Op struct {
	Kind  Kind
	Name  string // the file; a rename's old name; a scratch file's directory and label
	To    string // a rename's new name
	Off   int64  // a read's position
	Len   int    // bytes a read or write asks for
	N     int    // its number among all operations, from 0
	KindN int    // its number among those of its kind, from 0
}

// String is "operation 12 (write of 64 bytes, data.out)", for messages.
func (o Op) String() string {
	what := o.Kind.String()
	switch o.Kind {
	case OpRead:
		what = fmt.Sprintf("read of %d bytes at %d", o.Len, o.Off)
	case OpWrite:
		what = fmt.Sprintf("write of %d bytes", o.Len)
	case OpRename:
		return fmt.Sprintf("operation %d (rename, %s to %s)", o.N, o.Name, o.To)
	}
	return fmt.Sprintf("operation %d (%s, %s)", o.N, what, o.Name)
}

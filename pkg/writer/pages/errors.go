package pages

import (
	"errors"
	"fmt"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// What can be wrong with pointers and pages; test for them with errors.Is.
var (
	ErrPage       = errors.New("no such page")
	ErrOffset     = errors.New("record outside its page")
	ErrPartition  = errors.New("no such partition")
	ErrOrder      = errors.New("pointers are not sorted")
	ErrLengthSize = errors.New("record length of neither 4 nor 8 bytes")
	ErrFull       = errors.New("no room for another page")
)

// PointerError is a pointer that leads nowhere, or not where it should.
type PointerError struct {
	Err     error // ErrPage, ErrOffset, ErrPartition or ErrOrder
	Index   int   // of the pointer in its list, -1 if unknown
	Pointer Pointer
	Msg     string
}

// Error names pointer and reason.
func (e *PointerError) Error() string {
	at := ""
	if e.Index >= 0 {
		at = fmt.Sprintf(" %d", e.Index)
	}
	return fmt.Sprintf("pointer%s (%s): %v: %s", at, e.Pointer, e.Err, e.Msg)
}

// Unwrap gives the reason and the class.
func (e *PointerError) Unwrap() []error { return []error{e.Err, shufflefile.ErrCorrupt} }

func pointerError(reason error, p Pointer, format string, args ...any) *PointerError {
	return &PointerError{Err: reason, Index: -1, Pointer: p, Msg: fmt.Sprintf(format, args...)}
}

// CheckLengthSize refuses a record length that is not 4 or 8 bytes wide.
func CheckLengthSize(size int) error {
	if size != 4 && size != 8 {
		return fmt.Errorf("%w: %d", ErrLengthSize, size)
	}
	return nil
}

// Check holds pointers to the partition count and to their order.
func Check(pointers []Pointer, partitions int) error {
	last := uint32(0)
	for i, p := range pointers {
		if at := p.Partition(); at < last || int64(at) >= int64(partitions) {
			return explain(p, i, last, partitions)
		}
		last = p.Partition()
	}
	return nil
}

func explain(p Pointer, i int, last uint32, partitions int) error {
	err := pointerError(ErrPartition, p, "there are %d partitions", partitions)
	if int64(p.Partition()) < int64(partitions) {
		err = pointerError(ErrOrder, p, "it follows one of partition %d", last)
	}
	err.Index = i
	return err
}

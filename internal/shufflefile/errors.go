package shufflefile

import (
	"errors"
	"fmt"
	"strings"
)

// Classes of failure; test for them with errors.Is.
var (
	// ErrCorrupt: bytes that break the format.
	ErrCorrupt = errors.New("corrupt")
	// ErrMismatch: well-formed bytes that disagree with what they should hold.
	ErrMismatch = errors.New("mismatch")
	// ErrLimit: a size beyond what the format or an option allows.
	ErrLimit = errors.New("limit exceeded")
)

// NoPlace marks an unknown partition, block or offset in a Place.
const NoPlace = -1

// Place says where in a shuffle something is. Unknown parts are NoPlace or "".
type Place struct {
	File      string
	Partition int   // output partition
	Block     int   // block number inside the partition, from 0
	Offset    int64 // byte offset in File
}

// In is a place that names only a file.
func In(file string) Place {
	return Place{File: file, Partition: NoPlace, Block: NoPlace, Offset: NoPlace}
}

// String gives the known parts: "f: partition 3, block 0, offset 1234".
func (p Place) String() string {
	var parts []string
	add := func(format string, v int64) {
		if v != NoPlace {
			parts = append(parts, fmt.Sprintf(format, v))
		}
	}
	add("partition %d", int64(p.Partition))
	add("block %d", int64(p.Block))
	add("offset %d", p.Offset)
	where := strings.Join(parts, ", ")
	if p.File == "" || where == "" {
		return p.File + where
	}
	return p.File + ": " + where
}

// Error is a failure with a class and a place.
type Error struct {
	Class error // ErrCorrupt, ErrMismatch, ErrLimit, or nil for an operational failure
	Place
	Msg string
	Err error // the cause, if any
}

// Error gives place, message and cause in one line.
func (e *Error) Error() string {
	var parts []string
	for _, s := range []string{e.Place.String(), e.Msg} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	return strings.Join(parts, ": ")
}

// Unwrap exposes class and cause to errors.Is and errors.As.
func (e *Error) Unwrap() []error {
	var errs []error
	if e.Class != nil {
		errs = append(errs, e.Class)
	}
	if e.Err != nil {
		errs = append(errs, e.Err)
	}
	return errs
}

// Corrupt makes an ErrCorrupt without a place.
func Corrupt(format string, args ...any) *Error { return classed(ErrCorrupt, format, args) }

// Mismatch makes an ErrMismatch without a place.
func Mismatch(format string, args ...any) *Error { return classed(ErrMismatch, format, args) }

// Limit makes an ErrLimit without a place.
func Limit(format string, args ...any) *Error { return classed(ErrLimit, format, args) }

func classed(class error, format string, args []any) *Error {
	return &Error{Class: class, Place: In(""), Msg: fmt.Sprintf(format, args...)}
}

// At fills the parts of the place that err does not know yet; an err that is
// no *Error becomes the cause of one without a class.
func At(p Place, err error) error {
	if err == nil {
		return nil
	}
	var e *Error
	if !errors.As(err, &e) {
		return &Error{Place: p, Err: err}
	}
	c := *e
	if c.File == "" {
		c.File = p.File
	}
	if c.Partition == NoPlace {
		c.Partition = p.Partition
	}
	if c.Block == NoPlace {
		c.Block = p.Block
	}
	if c.Offset == NoPlace {
		c.Offset = p.Offset
	}
	return &c
}

package report

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// CSV appends rows to a file or stream, each written and checked at once, so
// that an interrupt loses no finished run and a full disk is an error.
type CSV struct {
	name    string
	columns []string
	w       io.Writer
	file    *os.File
}

// NewCSV writes the header to w and makes rows follow it.
func NewCSV(w io.Writer, name string) (*CSV, error) {
	c := &CSV{name: name, columns: metrics.ColumnNames(), w: w}
	return c, c.write(c.columns)
}

// OpenCSV opens a CSV file to append to, made if it is not there. A file that
// already has content must begin with the very header of this version and end
// with a complete line.
func OpenCSV(name string) (*CSV, error) { return openCSV(name, metrics.ColumnNames()) }

// OpenReadCSV does the same for rows of reads.
func OpenReadCSV(name string) (*CSV, error) { return openCSV(name, ReadColumnNames()) }

func openCSV(name string, columns []string) (*CSV, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if errors.Is(err, os.ErrPermission) || isDevice(name) {
		f, err = os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("CSV file: %w", err)
	}
	c := &CSV{name: name, columns: columns, w: f, file: f}
	if err := c.begin(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return c, nil
}

func isDevice(name string) bool {
	st, err := os.Stat(name)
	return err == nil && !st.Mode().IsRegular()
}

// begin writes the header into an empty file or checks the one that is there.
func (c *CSV) begin() error {
	st, err := c.file.Stat()
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() || st.Size() == 0 {
		return c.write(c.columns)
	}
	line, err := bufio.NewReader(io.NewSectionReader(c.file, 0, st.Size())).ReadString('\n')
	if err != nil && err != io.EOF {
		return fmt.Errorf("CSV file: %w", err)
	}
	if strings.TrimRight(line, "\r\n") != strings.Join(c.columns, ",") {
		return fmt.Errorf("CSV file %s has other columns than this version writes; name a new file", c.name)
	}
	var last [1]byte
	if _, err := c.file.ReadAt(last[:], st.Size()-1); err != nil {
		return fmt.Errorf("CSV file: %w", err)
	}
	if last[0] != '\n' {
		return fmt.Errorf("CSV file %s ends in an unfinished line; remove that line or name a new file", c.name)
	}
	return nil
}

// Append writes one row.
func (c *CSV) Append(r interface{ Record() []string }) error { return c.write(r.Record()) }

// write makes a line and writes it with one call, so that a file never holds
// half a row of two processes.
func (c *CSV) write(fields []string) error {
	var b bytes.Buffer
	enc := csv.NewWriter(&b)
	if err := enc.Write(fields); err != nil {
		return err
	}
	enc.Flush()
	if _, err := c.w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("CSV file %s: a row could not be written: %w", c.name, err)
	}
	return nil
}

// Close closes a file that OpenCSV opened.
func (c *CSV) Close() error {
	if c.file == nil {
		return nil
	}
	if err := c.file.Close(); err != nil {
		return fmt.Errorf("CSV file %s: %w", c.name, err)
	}
	return nil
}

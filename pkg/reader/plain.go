package reader

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// plainDecode decodes one block with the standard libraries only.
func plainDecode(h shufflefile.Header, frame []byte) (int64, arrow.RecordBatch, error) {
	codec, lengths, _ := h.Tag.Codec()
	if lengths {
		return 0, nil, shufflefile.Limit("offsets stored as lengths are not read")
	}
	payload, err := plainFrame(codec, frame)
	if err != nil {
		return 0, nil, corrupt(err)
	}
	rr, err := ipc.NewReader(bytes.NewReader(payload), ipc.WithBodySizeLimit(0))
	if err != nil {
		return 0, nil, corrupt(err)
	}
	defer rr.Release()
	if !rr.Next() {
		return 0, nil, corrupt(errors.Join(rr.Err(), errors.New("no record batch")))
	}
	rec := rr.RecordBatch()
	rec.Retain()
	if got := uint64(rec.NumCols()); got != h.Columns {
		return 0, nil, shufflefile.Corrupt("header says %d columns, the batch has %d", h.Columns, got)
	}
	return int64(len(payload)), rec, nil
}

func corrupt(err error) error {
	return &shufflefile.Error{Class: shufflefile.ErrCorrupt, Place: shufflefile.In(""), Err: err}
}

func plainFrame(c shufflefile.Codec, frame []byte) ([]byte, error) {
	switch c {
	case shufflefile.None:
		return frame, nil
	case shufflefile.LZ4:
		return io.ReadAll(lz4.NewReader(bytes.NewReader(frame)))
	case shufflefile.Snappy:
		return io.ReadAll(snappy.NewReader(bytes.NewReader(frame)))
	case shufflefile.Zstd:
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		defer d.Close()
		return d.DecodeAll(frame, nil)
	}
	return nil, fmt.Errorf("unknown codec %v", c)
}

// Package streams turns rows into the IPC streams of a consolidated file: for
// every partition that has rows one stream, in partition order.
//
//	| schema | batch | body | batch | body | end |   partition 0
//	| schema | batch | body | end |                  partition 2
//
// Bodies are compressed by Arrow's own means, each buffer by itself:
//
//	+---------------+-------------------------+---------+
//	| i64 raw bytes | LZ4 frame or zstd frame | padding |   -1: the raw bytes follow
//	+---------------+-------------------------+---------+
//
// A buffer without bytes stays without: no length, no frame. Schema and batch
// messages are made once (Template) and patched; rows are gathered straight
// from segments, column by column, into memory that is kept.
package streams

import (
	"fmt"
	"slices"

	"github.com/shufflebench/shufflebench/internal/ipcwire"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// Codec says how buffers are compressed.
type Codec struct {
	Codec     shufflefile.Codec // None, LZ4 or Zstd
	ZstdLevel int
	LZ4       string // column, general or pierrec
}

// Template is what all streams of a schema have in common. It is only read once
// it is made, by any number of encoders.
type Template struct {
	layout *segment.Layout
	codec  Codec
	ipc    *ipcwire.StreamTemplate
}

// NewTemplate prepares streams of the layout's schema. Arrow knows no body
// compression but LZ4 frames and zstd.
func NewTemplate(l *segment.Layout, c Codec) (*Template, error) {
	kind, err := bodyCodec(c.Codec)
	if err != nil {
		return nil, err
	}
	buffers := 0
	for _, n := range l.Nodes {
		buffers += n.Buffers()
	}
	t, err := ipcwire.NewStreamTemplate(l.Schema, len(l.Nodes), buffers, kind)
	if err != nil {
		return nil, err
	}
	return &Template{layout: l, codec: c, ipc: t}, nil
}

func bodyCodec(c shufflefile.Codec) (int8, error) {
	switch c {
	case shufflefile.None:
		return ipcwire.NoBodyCompression, nil
	case shufflefile.LZ4:
		return ipcwire.BodyLZ4Frame, nil
	case shufflefile.Zstd:
		return ipcwire.BodyZstd, nil
	}
	return 0, fmt.Errorf("arrow streams are not compressed by codec %s", c)
}

// Header is the stream that a consolidated file begins with: the schema alone.
func (t *Template) Header() []byte { return slices.Concat(t.ipc.Schema, ipcwire.EOS[:]) }

package inspect

import (
	"fmt"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/internal/ipcwire"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/reader"
)

// Hex writes one block with every byte annotated: as stored, and, unless it is
// stored plainly, its payload once more, decompressed. block counts from 0
// within the partition.
func Hex(w io.Writer, f *reader.File, partition, block int) (err error) {
	look := f.NewReader()
	defer func() {
		if cerr := look.Close(); err == nil {
			err = cerr
		}
	}()
	n := 0
	for raw, rerr := range look.Raw(partition) {
		if rerr != nil {
			return rerr
		}
		if n == block {
			return hexBlock(w, look, raw)
		}
		n++
	}
	return fmt.Errorf("%s: partition %d has %d blocks, so none with number %d", f.DataPath(), partition, n, block)
}

func hexBlock(w io.Writer, look *reader.Reader, raw reader.RawBlock) error {
	d := &dump{base: raw.Place.Offset}
	fmt.Fprintf(&d.out, "%s: partition %d, block %d, offset %d\n", raw.Place.File, raw.Place.Partition, raw.Place.Block, raw.Place.Offset)
	stored := raw.Bytes
	d.line(stored[:8], fmt.Sprintf("block length: %d bytes follow", raw.Header.Length))
	d.line(stored[8:16], fmt.Sprintf("columns: %d", raw.Header.Columns))
	d.line(stored[16:20], fmt.Sprintf("codec tag %q", raw.Header.Tag.String()))
	payload, err := look.Payload(raw)
	if err != nil {
		d.line(raw.Frame(), "frame, which does not decode: "+err.Error())
		return d.flush(w)
	}
	codec, lengths, _ := raw.Header.Tag.Codec()
	if codec != shufflefile.None {
		d.frame(codec, raw.Frame())
		fmt.Fprintf(&d.out, "payload, %d bytes decompressed\n", len(payload))
		d.base = 0
	}
	d.stream(payload, lengths)
	return d.flush(w)
}

// dump collects lines of an offset, up to sixteen bytes, and what they are.
type dump struct {
	out  strings.Builder
	base int64
}

func (d *dump) flush(w io.Writer) error {
	_, err := io.WriteString(w, d.out.String())
	return err
}

// line adds bytes that are one thing.
func (d *dump) line(b []byte, what string) {
	for first := true; len(b) > 0; first = false {
		n := min(len(b), 16)
		text := fmt.Sprintf("%08x  %-47s", d.base, fmt.Sprintf("% x", b[:n]))
		if first {
			text += "  " + what
		}
		d.out.WriteString(strings.TrimRight(text, " ") + "\n")
		d.base += int64(n)
		b = b[n:]
	}
}

// frame adds a codec's frame; LZ4's is taken apart.
func (d *dump) frame(codec shufflefile.Codec, b []byte) {
	const header = 7
	if codec != shufflefile.LZ4 || len(b) < header || b[4]&0x0b != 0 {
		d.line(b, fmt.Sprintf("%s frame, %d bytes", codec, len(b)))
		return
	}
	d.line(b[:4], "LZ4 frame: magic number")
	d.line(b[4:header], fmt.Sprintf("flags %02x, block maximum %02x, header checksum", b[4], b[5]))
	sums := 0
	if b[4]&0x10 != 0 {
		sums = 4
	}
	b = b[header:]
	for len(b) >= 4 {
		size := int(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3]&0x7f)<<24)
		how := "compressed"
		if b[3]&0x80 != 0 {
			how = "stored"
		}
		if size == 0 {
			d.line(b[:4], "end mark")
			b = b[4:]
			break
		}
		d.line(b[:4], fmt.Sprintf("block of %d bytes, %s", size, how))
		end := min(4+size, len(b))
		d.line(b[4:end], "data")
		b = b[end:]
		if sums > 0 && len(b) >= sums {
			d.line(b[:sums], "block checksum")
			b = b[sums:]
		}
	}
	d.line(b, "content checksum")
}

// stream adds an IPC stream message by message.
func (d *dump) stream(p []byte, lengths bool) {
	var schema *arrow.Schema
	for m, err := range reader.Messages(p) {
		if err != nil {
			d.line(p[min(int(m.Offset), len(p)):], err.Error())
			return
		}
		at := int(m.Offset)
		if m.Kind == reader.EndOfStream {
			d.line(p[at:at+ipcwire.EOSSize], "end of stream")
			continue
		}
		d.line(p[at:at+ipcwire.PrefixSize], fmt.Sprintf("%s message: continuation marker, %d bytes of metadata", m.Kind, m.Metadata))
		at += ipcwire.PrefixSize
		d.line(p[at:at+m.Metadata], "flatbuffer Message: "+describe(m))
		if m.Kind == "schema" {
			schema = readSchema(p[:at+m.Metadata])
		}
		body := p[at+m.Metadata : at+m.Metadata+int(m.Body)]
		d.body(body, p[at:at+m.Metadata], schema, m, lengths)
	}
}

func describe(m reader.Message) string {
	if m.Kind == "schema" {
		return "V5, Schema"
	}
	text := fmt.Sprintf("V5, %s, %d rows, %d buffers, body of %d bytes", m.Kind, m.Rows, m.Buffers, m.Body)
	if m.Kind != "record batch" {
		text += fmt.Sprintf(", dictionary %d", m.Dictionary)
	}
	return text
}

// body adds the buffers of a batch, in the order in which they lie.
func (d *dump) body(body, metadata []byte, schema *arrow.Schema, m reader.Message, lengths bool) {
	msg, err := ipcwire.ParseMessage(metadata)
	if err != nil {
		d.line(body, "body")
		return
	}
	var batch ipcwire.Batch
	names := bufferNames(schema)
	if m.Kind == "record batch" {
		err = msg.RecordBatch(&batch)
	} else {
		_, err = msg.Dictionary(&batch)
		names = []string{"validity of the dictionary", "offsets of the dictionary", "data of the dictionary"}
	}
	if err != nil {
		d.line(body, "body")
		return
	}
	at := 0
	for i := range batch.Buffers() {
		offset, length := batch.Buffer(i)
		if length == 0 || offset < int64(at) || offset+length > int64(len(body)) {
			continue
		}
		d.line(body[at:offset], "padding")
		name := fmt.Sprintf("buffer %d", i)
		if i < len(names) {
			name = names[i]
		}
		if lengths && strings.HasPrefix(name, "offsets") {
			name += ", stored as lengths in byte planes"
		}
		d.line(body[offset:offset+length], name)
		at = int(offset + length)
	}
	d.line(body[at:], "padding")
}

package segment

import (
	"encoding/binary"

	pierrec "github.com/pierrec/lz4/v4"

	"github.com/shufflebench/shufflebench/pkg/writer/lz4"
)

// A packed segment stores its buffers as LZ4 blocks, for disks that are slower
// than a core compresses:
//
//	chunks   every buffer cut into pieces of chunkSize bytes, the last one
//	         shorter, each compressed by itself or stored when that is no gain
//	counts   as they are
//	sizes    u32 a chunk: its bytes, bit 31 set when it is stored
//	footer   as it is, with the sizes of the buffers before packing
//
// A row range is read by the chunks that it touches.
const (
	chunkSize   = 16 << 10
	storedChunk = 1 << 31
)

// chunksOf is the number of chunks of a buffer.
func chunksOf(size int64) int64 { return (size + chunkSize - 1) / chunkSize }

// packer packs segments into memory of its own.
type packer struct {
	enc   lz4.Encoder
	out   []byte
	sizes []byte
	frame []byte
}

// frameStart is a frame's header; a block's size follows.
const frameStart = 7

// pack gives the packed form, valid until the next call.
func (p *packer) pack(s *Segment) []byte {
	p.out, p.sizes = p.out[:0], p.sizes[:0]
	for i, n := range s.layout.Nodes {
		b := &s.Bufs[i]
		p.buffer(b.Valid, lz4.Region{Kind: lz4.Bits})
		p.buffer(rawBytes(b.Off), lz4.Region{Kind: lz4.Offsets, Stride: 4})
		p.buffer(b.Data, dataRegion(n))
	}
	p.out = append(p.out, s.counts...)
	p.out = append(p.out, p.sizes...)
	p.out = appendFooter(p.out, s)
	return p.out
}

func dataRegion(n *Node) lz4.Region {
	switch n.Kind {
	case Fixed:
		return lz4.Region{Kind: lz4.Fixed, Stride: n.Width}
	case Bits:
		return lz4.Region{Kind: lz4.Bits}
	}
	return lz4.Region{Kind: lz4.Opaque}
}

// buffer appends a buffer's chunks.
func (p *packer) buffer(b []byte, r lz4.Region) {
	for len(b) > 0 {
		n := min(len(b), chunkSize)
		r.End = n
		p.frame = p.enc.AppendFrame(p.frame[:0], nil, b[:n], []lz4.Region{r})
		size := binary.LittleEndian.Uint32(p.frame[frameStart:])
		p.sizes = binary.LittleEndian.AppendUint32(p.sizes, size)
		block := p.frame[frameStart+4:]
		p.out = append(p.out, block[:size&^storedChunk]...)
		b = b[n:]
	}
}

// openPacked reads the sizes of the chunks, which lie between counts and
// footer.
func (s *Extracted) openPacked(footer int64) error {
	count := s.counts.pos
	sizesAt := s.extent.Pos + s.extent.Len - footer - 4*count
	s.counts.pos = sizesAt - s.counts.len
	if s.counts.pos < s.extent.Pos {
		return s.file.misfit(s.extent)
	}
	sizes := make([]byte, 4*count)
	if err := s.file.readAt(sizes, sizesAt); err != nil {
		return err
	}
	s.chunks = make([]int64, count+1)
	at := s.extent.Pos
	for i := range count {
		size := binary.LittleEndian.Uint32(sizes[4*i:])
		s.chunks[i] = at | int64(size&storedChunk)<<storedShift
		at += int64(size &^ storedChunk)
	}
	s.chunks[count] = at
	if at != s.counts.pos {
		return s.file.corrupt(s.extent.Pos, "the chunks of a spilled segment do not fit it")
	}
	return nil
}

// storedShift brings a chunk's stored bit to bit 62 of its position.
const (
	storedShift = 31
	storedFlag  = int64(storedChunk) << storedShift
)

// unpack fills dst with a buffer's bytes from from on.
func (s *Extracted) unpack(dst []byte, r region, from int, a *Arena) error {
	first := r.pos + int64(from/chunkSize)
	last := r.pos + int64((from+len(dst)-1)/chunkSize)
	start := s.chunks[first] &^ storedFlag
	packed := a.Alloc(int(s.chunks[last+1]&^storedFlag - start))
	if err := s.file.readAt(packed, start); err != nil {
		return err
	}
	skip := from % chunkSize
	for c := first; c <= last; c++ {
		raw := int(min(chunkSize, r.len-(c-r.pos)*chunkSize))
		src := packed[s.chunks[c]&^storedFlag-start : s.chunks[c+1]&^storedFlag-start]
		n, err := s.unpackChunk(dst, src, raw, skip, s.chunks[c]&storedFlag != 0, a)
		if err != nil {
			return err
		}
		dst, skip = dst[n:], 0
	}
	return nil
}

// unpackChunk brings the bytes of a chunk of raw bytes behind skip into dst, as
// far as it goes.
func (s *Extracted) unpackChunk(dst, src []byte, raw, skip int, stored bool, a *Arena) (int, error) {
	if stored {
		if len(src) != raw {
			return 0, s.file.corrupt(s.extent.Pos, "a stored chunk of %d bytes should have %d", len(src), raw)
		}
		return copy(dst, src[skip:]), nil
	}
	whole := dst
	if skip > 0 || len(dst) < raw {
		whole = a.Alloc(raw)
	}
	n, err := pierrec.UncompressBlock(src, whole[:raw])
	if err != nil || n != raw {
		return 0, s.file.corrupt(s.extent.Pos, "a packed chunk does not give its %d bytes", raw)
	}
	if skip == 0 && len(dst) >= raw {
		return raw, nil
	}
	return copy(dst, whole[skip:raw]), nil
}

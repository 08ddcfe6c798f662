package frame

import "github.com/shufflebench/shufflebench/internal/shufflefile"

// Buffer decodes the only frame in b, LZ4 or zstd, which must hold exactly n
// bytes, into memory from Alloc: one compressed buffer of an Arrow body.
func (d *Decoder) Buffer(c shufflefile.Codec, b []byte, n int64) ([]byte, error) {
	if err := d.checkLimit(n); err != nil {
		return nil, err
	}
	if c == shufflefile.LZ4 {
		return d.lz4Buffer(b, n)
	}
	return d.zstdBuffer(b, n)
}

func (d *Decoder) lz4Buffer(b []byte, n int64) ([]byte, error) {
	var f lz4Frame
	if err := f.open(b, &d.lz4.proved); err != nil {
		return nil, err
	}
	if n > f.bound {
		return nil, shufflefile.Corrupt("LZ4 buffer is to hold %d bytes, but its blocks hold at most %d", n, f.bound)
	}
	buf := d.Alloc.Allocate(int(n))
	end, err := f.decode(buf)
	if err == nil && int64(end) == n {
		return buf, nil
	}
	d.Alloc.Free(buf)
	if err != nil {
		return nil, shufflefile.Corrupt("LZ4 buffer is to hold %d bytes: %v", n, err)
	}
	return nil, shufflefile.Corrupt("LZ4 buffer is to hold %d bytes, but %d decoded", n, end)
}

func (d *Decoder) zstdBuffer(b []byte, n int64) ([]byte, error) {
	var f zstdFrame
	if err := f.walk(b); err != nil {
		return nil, err
	}
	if n > f.bound || f.size >= 0 && n != f.size {
		return nil, shufflefile.Corrupt("zstd buffer is to hold %d bytes, but its frame does not", n)
	}
	p, err := d.zstdInto(b, d.own(int(min(n, trustRatio*int64(len(b))))))
	if err != nil {
		return nil, err
	}
	if int64(len(p.Bytes)) != n {
		err = shufflefile.Corrupt("zstd buffer is to hold %d bytes, but %d decoded", n, len(p.Bytes))
		d.drop(p)
		return nil, err
	}
	return p.Bytes, nil
}

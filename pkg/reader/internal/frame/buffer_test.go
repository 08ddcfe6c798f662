package frame

import (
	"bytes"
	"testing"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// TestBuffer: compressed buffers of a body must hold what their length says.
func TestBuffer(t *testing.T) {
	d, w := newDecoder(t)
	for _, c := range []shufflefile.Codec{shufflefile.LZ4, shufflefile.Zstd} {
		for name, content := range samples() {
			if len(content) == 0 {
				continue
			}
			var b []byte
			if c == shufflefile.LZ4 {
				b = lz4Frame1(t, content)
			} else {
				b = zstdFrame1(t, content)
			}
			n := int64(len(content))
			got, err := d.Buffer(c, b, n)
			if err != nil || !bytes.Equal(got, content) {
				t.Errorf("%v, %s: %d bytes, %v", c, name, len(got), err)
			}
			d.Alloc.Free(got)
			for _, wrong := range []int64{n - 1, n + 1, 2 * n, 1 << 29} {
				_, err := d.Buffer(c, b, wrong)
				wantError(t, err, shufflefile.ErrCorrupt, "is to hold")
			}
			_, err = d.Buffer(c, b, d.Limit+1)
			wantError(t, err, shufflefile.ErrLimit, "above the limit")
		}
	}
	if w.most > 64<<20 {
		t.Errorf("%d bytes were taken at once", w.most)
	}
}

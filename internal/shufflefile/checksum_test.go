package shufflefile

import (
	"bytes"
	"errors"
	"hash"
	"hash/adler32"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// twins are the standard library's own.
var twins = map[Checksum]func() hash.Hash32{
	CRC32:   crc32.NewIEEE,
	CRC32C:  func() hash.Hash32 { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) },
	Adler32: adler32.New,
}

func TestChecksumCheckValues(t *testing.T) {
	for c, want := range map[Checksum]uint32{CRC32: 0xcbf43926, CRC32C: 0xe3069283, Adler32: 0x091e01de} {
		if got := c.Update(c.Initial(), []byte("123456789")); got != want {
			t.Errorf("%s: %#x, want %#x", c, got, want)
		}
	}
	if got := NoChecksum.Update(7, []byte("x")); got != 7 {
		t.Errorf("none changed the sum to %d", got)
	}
}

// TestChecksumContinued: over any pieces a checksum is the whole's, as the
// standard library has it.
func TestChecksumContinued(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{0, 1, 7, 8, 9, 63, 5551, 5552, 5553, 5560, 11104, 1 << 18} {
		b := bytes.Repeat([]byte{0xff}, size)
		if size%2 == 1 {
			for i := range b {
				b[i] = byte(r.Uint32())
			}
		}
		for c, twin := range twins {
			h := twin()
			h.Write(b)
			sum := c.Initial()
			for rest := b; ; {
				n := r.IntN(len(rest) + 1)
				sum = c.Update(sum, rest[:n])
				rest = rest[n:]
				if r.IntN(5) == 0 {
					sum = c.Update(sum, rest)
					break
				}
			}
			if sum != h.Sum32() {
				t.Errorf("%s of %d bytes: %#x, want %#x", c, size, sum, h.Sum32())
			}
		}
	}
}

func FuzzAdler32(f *testing.F) {
	f.Add([]byte("123456789"), uint16(3))
	f.Add(bytes.Repeat([]byte{255}, 6000), uint16(5555))
	f.Fuzz(func(t *testing.T, b []byte, cut uint16) {
		n := min(int(cut), len(b))
		if got, want := Adler32.Update(Adler32.Update(1, b[:n]), b[n:]), adler32.Checksum(b); got != want {
			t.Errorf("%#x, want %#x", got, want)
		}
	})
}

func TestChecksumNames(t *testing.T) {
	for _, name := range ChecksumNames() {
		c, err := ParseChecksum(strings.ToUpper(name))
		if err != nil || c.String() != name {
			t.Errorf("%s became %s, %v", name, c, err)
		}
	}
	if _, err := ParseChecksum("md5"); err == nil {
		t.Error("md5 was taken")
	}
	for data, want := range map[string]string{
		"d/shuffle_1_2_0.data": "d/shuffle_1_2_0.checksum.ADLER32",
		"d/data.out":           "d/data.out.checksum.ADLER32",
	} {
		if got := Adler32.Path(data); got != want {
			t.Errorf("%s: %s, want %s", data, got, want)
		}
	}
	if got := NoChecksum.Path("x.data"); got != "" {
		t.Errorf("none has file %s", got)
	}
}

func TestParseChecksums(t *testing.T) {
	var b []byte
	want := []uint32{1, 0xffffffff, 0}
	for _, s := range want {
		b = AppendChecksum(b, s)
	}
	if got := b[8:16]; !bytes.Equal(got, []byte{0, 0, 0, 0, 255, 255, 255, 255}) {
		t.Errorf("entry is % x", got)
	}
	got, err := ParseChecksums(b, 3)
	if err != nil || len(got) != 3 || got[0] != 1 || got[1] != 0xffffffff || got[2] != 0 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := ParseChecksums(b, 2); !errors.Is(err, ErrCorrupt) {
		t.Errorf("wrong count: %v", err)
	}
	b[8] = 1
	var e *Error
	if _, err := ParseChecksums(b, 3); !errors.As(err, &e) || e.Class != ErrCorrupt || e.Offset != 8 || e.Partition != 1 {
		t.Errorf("64-bit entry: %v", err)
	}
}

func BenchmarkAdler32(b *testing.B) {
	data := make([]byte, 600)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		Adler32.Update(1, data)
	}
}

func BenchmarkAdler32Stdlib(b *testing.B) {
	data := make([]byte, 600)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		adler32.Checksum(data)
	}
}

// TestSparkChecksumFile holds algorithm, file form and name to what Spark left.
func TestSparkChecksumFile(t *testing.T) {
	const data = "testdata/jvm_lz4_fewrows/shuffle.data"
	read := func(name string) []byte {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	bytes, raw := read(data), read("testdata/jvm_lz4_fewrows/shuffle.index")
	index, order, err := ParseIndex(raw, AutoEndian, 0, int64(len(bytes)))
	if err != nil || order != BigEndian {
		t.Fatal(order, err)
	}
	sums, err := ParseChecksums(read(Adler32.Path(data)), index.Partitions())
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range sums {
		at, n := index.Range(p)
		if got := Adler32.Update(Adler32.Initial(), bytes[at:at+n]); got != want {
			t.Errorf("partition %d: %#x, want %#x", p, got, want)
		}
	}
}

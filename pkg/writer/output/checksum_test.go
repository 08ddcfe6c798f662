package output

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/internal/vfs"
	"github.com/shufflebench/shufflebench/internal/vfs/vfstest"
)

// writeSummed writes a pair with checksums, in writes that bring several
// partitions at once and ends that are told ahead.
func writeSummed(fsys vfs.FS, r *rand.Rand, list [][]byte, kind shufflefile.Checksum, given []uint32) error {
	p, err := Create(fsys, dir, len(list), 1+r.IntN(100))
	if err == nil {
		err = p.Checksums(kind, given)
	}
	if err == nil {
		err = fill(p, r, list)
	}
	if err == nil {
		return p.Commit()
	}
	if p != nil {
		err = errors.Join(err, p.Abort())
	}
	return err
}

func fill(p *Pair, r *rand.Rand, list [][]byte) error {
	for done := 0; done < len(list); {
		var b []byte
		for n := r.IntN(4); n >= 0 && done < len(list); n-- {
			b = append(b, list[done]...)
			done++
			if err := p.EndPartitionsAt(done, len(b)); err != nil {
				return err
			}
		}
		cut := r.IntN(len(b) + 1)
		if err := errors.Join(p.Write(b[:cut]), p.Write(b[cut:])); err != nil {
			return err
		}
	}
	return nil
}

func sumsOf(kind shufflefile.Checksum, list [][]byte) []uint32 {
	sums := make([]uint32, len(list))
	for i, b := range list {
		sums[i] = kind.Update(kind.Initial(), b)
	}
	return sums
}

func randomParts(r *rand.Rand) [][]byte {
	list := make([][]byte, 1+r.IntN(30))
	for i := range list {
		if r.IntN(3) > 0 {
			list[i] = bytes.Repeat([]byte{byte(r.Uint32())}, r.IntN(90))
		}
	}
	return list
}

// TestChecksums: whatever the writes, one checksum a partition, of its bytes.
func TestChecksums(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for i := range 150 {
		kind := shufflefile.Checksums()[i%3]
		list := randomParts(r)
		want := sumsOf(kind, list)
		var given []uint32
		if i%2 == 1 {
			given = want
		}
		mem := vfs.NewMem()
		if err := writeSummed(mem, r, list, kind, given); err != nil {
			t.Fatal(err)
		}
		if got, err := read(mem); err != nil || !same(got, list) {
			t.Fatal(err)
		}
		b, err := vfs.ReadFile(mem, kind.Path(dir+"/"+DataName))
		if err != nil {
			t.Fatal(err)
		}
		got, err := shufflefile.ParseChecksums(b, len(list))
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%x, want %x, %v", got, want, err)
		}
		if names, err := mem.List(dir); err != nil || len(names) != 3 {
			t.Fatal(names, err)
		}
	}
}

// TestOldChecksumsGo: neither another run's checksums nor those of another
// algorithm stay beside new data.
func TestOldChecksumsGo(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	list := randomParts(r)
	mem := vfs.NewMem()
	for _, kind := range []shufflefile.Checksum{shufflefile.CRC32, shufflefile.Adler32, shufflefile.NoChecksum} {
		if err := writeSummed(mem, r, list, kind, nil); err != nil {
			t.Fatal(err)
		}
		want := []string{DataName, IndexName}
		if kind != shufflefile.NoChecksum {
			want = []string{DataName, kind.Path(DataName), IndexName}
		}
		if names, err := mem.List(dir); err != nil || !slices.Equal(names, want) {
			t.Errorf("%s: %v, want %v, %v", kind, names, want, err)
		}
	}
	if err := writeSummed(mem, r, list, shufflefile.CRC32C, nil); err != nil {
		t.Fatal(err)
	}
	if err := Clear(mem, dir); err != nil {
		t.Fatal(err)
	}
	if names, err := mem.List(dir); err != nil || len(names) != 0 {
		t.Errorf("Clear leaves %v, %v", names, err)
	}
}

// TestChecksumFaults fails every operation in turn: then nothing stays.
func TestChecksumFaults(t *testing.T) {
	list := parts('a', 5, 0, 200, 30)
	n := vfstest.Sweep{
		Run: func(fsys *vfs.Faulty) error {
			return writeSummed(fsys, rand.New(rand.NewPCG(1, 1)), list, shufflefile.Adler32, nil)
		},
		Check: func(disk *vfs.Mem, err error) error {
			names, listErr := disk.List(dir)
			switch {
			case errors.Is(listErr, fs.ErrNotExist):
				return nil
			case err == nil && len(names) != 3, err != nil && len(names) != 0:
				return fmt.Errorf("left: %v", names)
			}
			return listErr
		},
	}.Test(t)
	if n < 12 {
		t.Errorf("only %d operations", n)
	}
}

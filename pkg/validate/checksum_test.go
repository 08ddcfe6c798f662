package validate

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// TestChecksums: a checksum file beside the data is held to every partition,
// empty ones too; without one there is no such check.
func TestChecksums(t *testing.T) {
	ids := make([]string, 50)
	for i := range ids {
		ids[i] = string(rune('0' + i%10))
	}
	src := tableOf(t, []arrow.Field{field("id", arrow.PrimitiveTypes.Int64)}, "["+strings.Join(ids, ",")+"]")
	const partitions = 40
	out := shuffle(t, src, partitions, 10, shufflefile.LZ4, 0).files()
	for _, kind := range shufflefile.Checksums() {
		pair := out.write(t)
		o := Options{Input: src, Pairs: []Pair{pair}}
		if r := prove(t, o); slices.ContainsFunc(r.Checks, func(c Check) bool { return c.Name == "checksums" }) {
			t.Error("checksums were checked that are not there")
		}
		var sums []byte
		last := 0 // partition with bytes
		for p := range partitions {
			lo, hi := out.offsets[p], out.offsets[p+1]
			if lo < hi {
				last = p
			}
			sums = shufflefile.AppendChecksum(sums, kind.Update(kind.Initial(), out.data[lo:hi]))
		}
		put := func(b []byte) {
			if err := os.WriteFile(kind.Path(pair.Data), b, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		put(sums)
		r := prove(t, o)
		counts(t, r, nil)
		if !slices.ContainsFunc(r.Checks, func(c Check) bool { return c.Name == "checksums" && c.Faults == 0 }) {
			t.Errorf("%s: checks %+v", kind, r.Checks)
		}
		bad := slices.Clone(sums)
		bad[8*last+7] ^= 1
		put(bad)
		r = prove(t, o)
		counts(t, r, map[Kind]int64{ChecksumFault: 1})
		if f := finding(t, r, ChecksumFault); f.File != pair.Data || *f.Partition != last || *f.Offset != int64(out.offsets[last]) || !strings.Contains(f.Message, kind.String()) {
			t.Errorf("%s: %+v", kind, f)
		}
		put(sums[8:])
		r = prove(t, o)
		counts(t, r, map[Kind]int64{ChecksumFault: 1})
		if f := finding(t, r, ChecksumFault); f.File != kind.Path(pair.Data) {
			t.Errorf("%s: %+v", kind, f)
		}
	}
}

// TestDictionariesAreNoOtherSchema: of this tool's own output too, strings may
// be dictionaries with keys of 32 bits, block by block.
func TestDictionariesAreNoOtherSchema(t *testing.T) {
	str := arrow.BinaryTypes.String
	dict := func(index arrow.DataType) arrow.DataType {
		return &arrow.DictionaryType{IndexType: index, ValueType: str}
	}
	want := arrow.NewSchema([]arrow.Field{field("s", str)}, nil)
	for typ, fault := range map[arrow.DataType]bool{
		str: false, dict(arrow.PrimitiveTypes.Int32): false, dict(arrow.PrimitiveTypes.Int8): true,
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.Binary}: true,
	} {
		if got := differs(want, arrow.NewSchema([]arrow.Field{field("s", typ)}, nil)); (got != "") != fault {
			t.Errorf("%s: %q", typ, got)
		}
	}
}

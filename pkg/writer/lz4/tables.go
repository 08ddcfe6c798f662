package lz4

// The sizes of the hash tables, in bits of the index. Larger ones find little
// more and begin to miss the caches.
const (
	byteBits  = 14
	valueBits = 13
)

// tables remember positions. They are not cleared between blocks: an entry is
// a position plus the block's generation, and generations are so far apart
// that an entry of an earlier block is always too far back to be a match.
type tables struct {
	generation uint32
	bytes      [1 << byteBits]uint32  // by 5 bytes at any position
	value      [1 << valueBits]uint32 // by one value
	pair       [1 << valueBits]uint32 // by one value and the high bytes of the one before

	low       [512]int32            // by a few bits of a value: its position less lowOrigin
	lowOrigin int                   // 0 while low is not set up for this block
	seen      [1 << seenBits]uint64 // of probe; has no memory
	span      uint32                // from this generation to the next
}

// nextGeneration makes every entry stale, for a block of n bytes.
func (t *tables) nextGeneration(n int) {
	const start = maxOffset + 1 // and below 1<<31, so that differences fit an int everywhere
	t.lowOrigin = 0
	next := uint64(t.generation) + uint64(t.span)
	t.span = uint32(n) + start
	if t.generation == 0 || next+uint64(t.span) > 1<<31-1 {
		if t.generation != 0 {
			clear(t.bytes[:])
			clear(t.value[:])
			clear(t.pair[:])
		}
		next = start
	}
	t.generation = uint32(next)
}

// setUpLow empties low unless this block did so before. An empty entry reads
// as position origin, which must be 16 at least: as good a guess as any, for
// whatever is found there is compared.
func (t *tables) setUpLow(origin int) {
	if t.lowOrigin == 0 {
		clear(t.low[:])
		t.lowOrigin = origin
	}
}

// hash5 hashes the low 5 bytes of v.
func hash5(v uint64) uint64 { return ((v << 24) * 0x9e3779b185ebca87) >> (64 - byteBits) }

// hash8 hashes all of v.
func hash8(v uint64) uint64 { return (v * 0x9e3779b185ebca87) >> (64 - valueBits) }

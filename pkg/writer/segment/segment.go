package segment

// alignment of every buffer in a segment.
const alignment = 8

// Bufs are the buffers of one node. Valid is nil when nothing is null; Off has
// one entry more than values and begins with 0.
type Bufs struct {
	Valid []byte
	Off   []int32
	Data  []byte
}

// Segment is a batch's rows grouped by partition, in one piece of memory.
type Segment struct {
	Rows    int
	Entries int    // partitions with rows
	Bufs    []Bufs // by Node.Index
	Mem     []byte // everything, as a spill file has it
	layout  *Layout
	counts  []byte // in Mem
}

// Bytes implements Source.
func (s *Segment) Bytes() int64 { return int64(len(s.Mem)) }

// Len implements Source.
func (s *Segment) Len() int { return s.Rows }

// Stored implements Source.
func (s *Segment) Stored() bool { return false }

// Load implements Source without copying.
func (s *Segment) Load(views []View, lo, hi int, _ *Arena) error {
	for _, n := range s.layout.Columns {
		s.load(views, n, lo, hi)
	}
	return nil
}

func (s *Segment) load(views []View, n *Node, lo, hi int) {
	b, v := &s.Bufs[n.Index], &views[n.Index]
	*v = View{Valid: b.Valid, VBit: lo, Data: b.Data}
	switch n.Kind {
	case Fixed:
		v.Data = b.Data[lo*n.Width : hi*n.Width]
	case Bits:
		v.DBit = lo
	case Var:
		v.Off = b.Off[lo : hi+1]
	case List:
		v.Off = b.Off[lo : hi+1]
		v.Base = v.Off[0]
		lo, hi = int(v.Base), int(v.Off[len(v.Off)-1])
	case FixedList:
		lo, hi = lo*n.Width, hi*n.Width
	}
	for _, c := range n.Children {
		s.load(views, c, lo, hi)
	}
}

// Counts implements Source.
func (s *Segment) Counts() (*Counts, error) { return newCounts(s.counts, s.Entries, nil) }

// reserve takes size bytes, aligned, from the segment's memory. They are not
// cleared.
func (s *Segment) reserve(size int) []byte {
	at := align(len(s.Mem))
	clear(s.Mem[len(s.Mem):at])
	s.Mem = s.Mem[:at+size]
	return s.Mem[at : at+size : at+size]
}

// finish appends counts and footer.
func (s *Segment) finish(entries []Entry) {
	at := align(len(s.Mem))
	clear(s.Mem[len(s.Mem):at])
	s.Mem = appendCounts(s.Mem[:at], entries)
	s.counts = s.Mem[at:]
	s.Mem = appendFooter(s.Mem, s)
}

func align(n int) int { return (n + alignment - 1) &^ (alignment - 1) }

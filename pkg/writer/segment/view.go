package segment

// View is what one segment contributes to one node: some or all of its rows.
// Row i of the view has its validity at bit VBit+i, its bits at DBit+i, and its
// offsets at Off[i] and Off[i+1], which count from Base.
type View struct {
	Valid []byte // nil when nothing is null
	VBit  int
	Off   []int32
	Base  int32
	Data  []byte
	DBit  int
}

// Source is a segment that rows can be loaded from, in memory or on disk.
type Source interface {
	// Counts reads the segment's entries from the start.
	Counts() (*Counts, error)
	// Load makes views, one a node, of rows lo to hi, which become their rows
	// 0 to hi-lo. Memory comes from a and lives as long as a's content.
	Load(views []View, lo, hi int, a *Arena) error
	// Bytes is what all rows take, for budgets, and Len their number.
	Bytes() int64
	Len() int
	// Stored says that Load copies from disk.
	Stored() bool
}

var (
	_ Source = (*Segment)(nil)
	_ Source = (*Extracted)(nil)
)

package segment

// Arena hands out aligned memory that is given back all at once.
type Arena struct {
	chunk []byte // the present chunk, used up to its length
	used  int    // bytes handed out since Reset, over all chunks
}

// Reset takes everything back. An arena that needed several chunks gets one
// that would have been enough.
func (a *Arena) Reset() {
	if a.used > cap(a.chunk) {
		a.chunk = make([]byte, 0, a.used+a.used/8)
	}
	a.chunk, a.used = a.chunk[:0], 0
}

// Alloc hands out n bytes, not cleared, aligned to 8.
func (a *Arena) Alloc(n int) []byte {
	size := align(n)
	a.used += size
	if len(a.chunk)+size > cap(a.chunk) {
		a.chunk = make([]byte, 0, max(size, cap(a.chunk), 64<<10))
	}
	at := len(a.chunk)
	a.chunk = a.chunk[:at+size]
	return a.chunk[at : at+n : at+size]
}

package reader

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// shell is all the objects around the bytes of one block's batch, in a few
// allocations: the data of every field, of dictionaries too, their buffers,
// and the lists that connect them. Its parts keep each other alive.
type shell struct {
	batch    batch
	datas    []array.Data     // one a field
	buffers  []memory.Buffer  // one a view that is there, unless they are counted
	pointers []*memory.Buffer // one a view; each field has its own stretch
	children []arrow.ArrayData
	record   int     // the first data of the record batch
	origin   *schema // of the batch
}

// shellSize is the number of objects in a shell.
type shellSize struct{ fields, views, buffers, children, columns int }

// fits reports whether all of a shell's parts are at most as many.
func (n shellSize) fits(most shellSize) bool {
	return n.fields <= most.fields && n.views <= most.views && n.buffers <= most.buffers &&
		n.children <= most.children && n.columns <= most.columns
}

// size is the number of objects in sh.
func (sh *shell) size() shellSize {
	return shellSize{len(sh.datas), len(sh.pointers), len(sh.buffers), len(sh.children), len(sh.batch.columns)}
}

// smallShell is a shell and its parts in one allocation, for the many blocks
// of few columns.
type smallShell struct {
	shell
	d [8]array.Data
	b [16]memory.Buffer
	p [24]*memory.Buffer
	c [8]arrow.Array
}

// tinyShell is one for two columns of numbers without nulls.
type tinyShell struct {
	shell
	d [2]array.Data
	b [2]memory.Buffer
	p [4]*memory.Buffer
	c [2]arrow.Array
}

var (
	smallSize = shellSize{fields: 8, views: 24, buffers: 16, columns: 8}
	tinySize  = shellSize{fields: 2, views: 4, buffers: 2, columns: 2}
)

func newShell(n shellSize) *shell {
	switch {
	case n.fits(tinySize):
		s := new(tinyShell)
		return s.cut(n, s.d[:], s.b[:], s.p[:], s.c[:])
	case n.fits(smallSize):
		s := new(smallShell)
		return s.cut(n, s.d[:], s.b[:], s.p[:], s.c[:])
	}
	s := new(shell)
	s.cut(n, make([]array.Data, n.fields), make([]memory.Buffer, n.buffers), make([]*memory.Buffer, n.views), make([]arrow.Array, n.columns))
	s.children = make([]arrow.ArrayData, n.children)
	return s
}

// cut gives sh its parts, each as long as n says.
func (sh *shell) cut(n shellSize, d []array.Data, b []memory.Buffer, p []*memory.Buffer, c []arrow.Array) *shell {
	sh.datas, sh.buffers = d[:n.fields:n.fields], b[:n.buffers:n.buffers]
	sh.pointers, sh.batch.columns = p[:n.views:n.views], c[:n.columns:n.columns]
	return sh
}

// root is the data of a column.
func (sh *shell) root(column int) *array.Data {
	return &sh.datas[sh.record+sh.origin.batch.roots[column]]
}

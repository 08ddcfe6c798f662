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
	buffers  []memory.Buffer  // one a view, unless they are counted
	pointers []*memory.Buffer // one a view; each field has its own stretch
	children []arrow.ArrayData
	record   int   // the first data of the record batch
	roots    []int // the columns' data, from there
}

func newShell(fields, views, children, columns int, heap bool) *shell {
	sh := &shell{
		datas:    make([]array.Data, fields),
		pointers: make([]*memory.Buffer, views),
		children: make([]arrow.ArrayData, children),
		batch:    batch{columns: make([]arrow.Array, columns)},
	}
	if heap {
		sh.buffers = make([]memory.Buffer, views)
	}
	return sh
}

// root is the data of a column.
func (sh *shell) root(column int) *array.Data { return &sh.datas[sh.record+sh.roots[column]] }

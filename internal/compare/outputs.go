package compare

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/shufflebench/shufflebench/internal/rundir"
)

// output is a data file with its index, and what is in them.
type output struct {
	data, index string // paths
	bytes       int64  // of data
	sha256      string
	indexSHA256 string
}

// findOutputs pairs the files that a run left below dir:
//
//	data.out          index.out             Comet, shufflebench
//	data.arrow        data.arrow.index      Ballista
//	NAME.data         NAME.index            Spark
//
// others counts the files that are in no pair.
func findOutputs(dir string) (outs []output, others int, err error) {
	files := map[string]int64{}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		st, err := d.Info()
		if err == nil {
			files[path] = st.Size()
		}
		return err
	})
	if os.IsNotExist(err) {
		return nil, 0, nil
	}
	others = len(files)
	for path, size := range files {
		index := indexOf(path)
		if _, there := files[index]; there && index != "" {
			outs = append(outs, output{data: path, index: index, bytes: size})
			others -= 2
		}
	}
	if _, run := files[filepath.Join(dir, "run.json")]; run {
		others-- // of write; it describes the rest
	}
	slices.SortFunc(outs, func(a, b output) int { return compareNatural(a.data, b.data) })
	return outs, others, err
}

func indexOf(data string) string {
	dir, base := filepath.Split(data)
	switch {
	case base == "data.out":
		return dir + "index.out"
	case base == "data.arrow":
		return data + ".index"
	case strings.HasSuffix(base, ".data"):
		return strings.TrimSuffix(data, ".data") + ".index"
	}
	return ""
}

// compareNatural puts task_2 before task_10.
func compareNatural(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// hash fills in the sums.
func (o *output) hash(ctx context.Context) (err error) {
	if o.sha256, err = rundir.SHA256(ctx, o.data); err != nil {
		return err
	}
	o.indexSHA256, err = rundir.SHA256(ctx, o.index)
	return err
}

// Package sparkdir finds the shuffle files that Spark's executors leave in
// their local directories.
//
// A map task's files are shuffle_<shuffle>_<map>_0 with the endings .data,
// .index and, where checksums are on, .checksum.<ALGORITHM>. A task without
// rows may leave no data file. The files lie anywhere below a directory, as
// Spark spreads them over subdirectories by hash.
package sparkdir

import (
	"cmp"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// Map is one map task's files.
type Map struct {
	ID       int64  `json:"map"`
	Data     string `json:"data"` // where it is or, for a task without rows, would be
	Index    string `json:"index"`
	Checksum string `json:"checksum,omitempty"`
}

// Shuffle is the map tasks of one shuffle, by id.
type Shuffle struct {
	ID   int   `json:"shuffle"`
	Maps []Map `json:"maps"`
}

var name = regexp.MustCompile(`^shuffle_([0-9]+)_([0-9]+)_0\.(data|index|checksum\.[A-Z0-9]+)$`)

// Find lists the shuffles below dir, by id. A task counts by its index file:
// a data file or checksum without one is an error that names it.
func Find(dir string) ([]Shuffle, error) {
	found := map[[2]int64]*Map{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return add(found, path, d.Name())
	})
	if err != nil {
		return nil, fmt.Errorf("spark directory: %w", err)
	}
	shuffles := map[int64]*Shuffle{}
	for key, m := range found {
		if m.Index == "" {
			return nil, fmt.Errorf("%s has no index file beside it", cmp.Or(m.Data, m.Checksum))
		}
		if m.Data == "" {
			m.Data = m.Index[:len(m.Index)-len("index")] + "data"
		}
		s := shuffles[key[0]]
		if s == nil {
			s = &Shuffle{ID: int(key[0])}
			shuffles[key[0]] = s
		}
		s.Maps = append(s.Maps, *m)
	}
	if len(shuffles) == 0 {
		return nil, fmt.Errorf("%s has no shuffle_*.index file below it", dir)
	}
	return sorted(shuffles), nil
}

func add(found map[[2]int64]*Map, path, base string) error {
	part := name.FindStringSubmatch(base)
	if part == nil {
		return nil
	}
	shuffle, err1 := strconv.ParseInt(part[1], 10, 31)
	id, err2 := strconv.ParseInt(part[2], 10, 64)
	if err := cmp.Or(err1, err2); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	key := [2]int64{shuffle, id}
	m := found[key]
	if m == nil {
		m = &Map{ID: id}
		found[key] = m
	}
	slot := &m.Checksum
	switch part[3] {
	case "data":
		slot = &m.Data
	case "index":
		slot = &m.Index
	}
	if *slot != "" {
		return fmt.Errorf("%s and %s are files of the same map task", *slot, path)
	}
	*slot = path
	return nil
}

func sorted(shuffles map[int64]*Shuffle) []Shuffle {
	var out []Shuffle
	for _, s := range shuffles {
		slices.SortFunc(s.Maps, func(a, b Map) int { return cmp.Compare(a.ID, b.ID) })
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b Shuffle) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// Pick finds the shuffle with an id; a negative one picks the only shuffle.
func Pick(shuffles []Shuffle, id int) (Shuffle, error) {
	if id < 0 && len(shuffles) == 1 {
		return shuffles[0], nil
	}
	var ids []int
	for _, s := range shuffles {
		if s.ID == id {
			return s, nil
		}
		ids = append(ids, s.ID)
	}
	if id < 0 {
		return Shuffle{}, fmt.Errorf("several shuffles are there, name one with --shuffle: %v", ids)
	}
	return Shuffle{}, fmt.Errorf("no shuffle %d is there, only %v", id, ids)
}

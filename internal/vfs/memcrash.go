package vfs

import (
	"maps"
	"slices"
)

// CrashClone is the disk as a machine finds it that lost power just now. It
// holds what POSIX promises to survive, and nothing that merely tends to:
//
//   - a directory has the entries of its last Sync (SyncDir); a file made or
//     renamed since is not there, one removed or replaced since is back. The
//     root always exists;
//   - a file has the bytes that were there at its last Sync. A truncation
//     (Create) counts at once, so writing over a file puts it at risk;
//   - scratch files and open handles are gone.
//
// So a file arrives for good by Write, Sync, Rename and SyncDir, in this order;
// without the Sync it comes back empty. The clone shares no state with m and
// keeps its quota. It costs no copy of any content.
func (m *Mem) CrashClone() *Mem {
	m.mu.RLock()
	defer m.mu.RUnlock()
	c := &Mem{quota: m.quota}
	c.root = c.survivor(m.root, map[*node]*node{})
	return c
}

// survivor takes over what a crash leaves of n. A node that two synced
// directories list, since it was moved from one to the other, is one file with
// two names, or a directory at the first of both places.
func (c *Mem) survivor(n *node, seen map[*node]*node) *node {
	s := &node{refs: 1, synced: n.synced}
	seen[n] = s
	if !n.isDir() {
		s.data = n.data[:n.synced:n.synced] // shared: bytes never change, an append moves away
		c.used += int64(n.synced)
		return s
	}
	s.entries = make(map[string]*node, len(n.durable))
	for _, name := range slices.Sorted(maps.Keys(n.durable)) {
		child := n.durable[name]
		switch twin := seen[child]; {
		case twin == nil:
			s.entries[name] = c.survivor(child, seen)
		case !twin.isDir():
			twin.refs++
			s.entries[name] = twin
		}
	}
	s.durable = maps.Clone(s.entries)
	return s
}

// SyncAll makes everything durable that has a name, as sync(2) does: where a
// test of crashes begins.
func (m *Mem) SyncAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.root.syncAll()
}

func (n *node) syncAll() {
	n.sync()
	for _, child := range n.entries {
		child.syncAll()
	}
}

package compare

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// catcher gives every file that appears below a directory a second name
// elsewhere, a hard link, so that a program that removes its output can be held
// to it. The link is made when the file is created; what is written later is in
// both. A file that is gone before the kernel's notice arrives is missed.
type catcher struct {
	from, to string
	fd       int            // inotify
	events   *os.File       // the same
	dirs     map[int]string // watched, relative to from, by watch descriptor
	done     chan struct{}
}

const catchEvents = unix.IN_CREATE | unix.IN_MOVED_TO | unix.IN_ONLYDIR

// catchFiles begins to watch from, which must be there.
func catchFiles(from, to string) (*catcher, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	c := &catcher{from: from, to: to, fd: fd, events: os.NewFile(uintptr(fd), "inotify"), dirs: map[int]string{}, done: make(chan struct{})}
	if err := c.watch("."); err != nil {
		return nil, errors.Join(err, c.events.Close())
	}
	go c.run()
	return c, nil
}

// close ends the watch.
func (c *catcher) close() {
	_ = c.events.Close()
	<-c.done
}

func (c *catcher) run() {
	defer close(c.done)
	buf := make([]byte, 64<<10)
	for {
		n, err := c.events.Read(buf)
		if err != nil {
			return
		}
		for rest := buf[:n]; len(rest) >= unix.SizeofInotifyEvent; {
			wd := int(int32(binary.NativeEndian.Uint32(rest)))
			mask := binary.NativeEndian.Uint32(rest[4:])
			size := int(binary.NativeEndian.Uint32(rest[12:]))
			name := string(bytes.TrimRight(rest[unix.SizeofInotifyEvent:unix.SizeofInotifyEvent+size], "\x00"))
			rest = rest[unix.SizeofInotifyEvent+size:]
			c.seen(filepath.Join(c.dirs[wd], name), mask&unix.IN_ISDIR != 0)
		}
	}
}

func (c *catcher) seen(rel string, dir bool) {
	if dir {
		_ = c.watch(rel)
		return
	}
	to := filepath.Join(c.to, rel)
	if os.Link(filepath.Join(c.from, rel), to) == nil {
		return
	}
	_ = os.Remove(to) // a new file of the same name
	_ = os.Link(filepath.Join(c.from, rel), to)
}

// watch watches a directory, and catches what is in it already.
func (c *catcher) watch(rel string) error {
	if err := os.MkdirAll(filepath.Join(c.to, rel), 0o777); err != nil {
		return err
	}
	wd, err := unix.InotifyAddWatch(c.fd, filepath.Join(c.from, rel), catchEvents)
	if err != nil {
		return err
	}
	c.dirs[wd] = rel
	entries, err := os.ReadDir(filepath.Join(c.from, rel))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		c.seen(filepath.Join(rel, e.Name()), e.IsDir())
	}
	return err
}

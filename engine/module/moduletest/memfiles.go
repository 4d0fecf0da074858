package moduletest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"kinit/engine/module"
)

// epoch is when the first file of a MemFiles was written; every later write is a second
// later, so that modification times distinguish writes.
var epoch = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// MemFiles is a file system in memory with modes and owners. Everything belongs
// to root unless it was given away.
type MemFiles struct {
	mu     sync.Mutex
	nodes  map[string]*node
	writes int
}

type node struct {
	content      []byte
	mode         fs.FileMode
	owner, group string
	target       string
	mtime        time.Time
}

// NewMemFiles returns the folders that every Linux host has.
func NewMemFiles() *MemFiles {
	m := &MemFiles{nodes: map[string]*node{"/": newNode(fs.ModeDir | 0o755)}}
	for _, dir := range []string{"/etc/systemd/system", "/etc/sysctl.d", "/root", "/run", "/tmp", "/var/lib"} {
		m.parents(dir)
		m.nodes[dir] = newNode(fs.ModeDir | 0o755)
	}
	return m
}

func newNode(mode fs.FileMode) *node {
	return &node{mode: mode, owner: "root", group: "root", mtime: epoch}
}

// Put makes a file with its parents, for tests.
func (m *MemFiles) Put(name, content string, mode fs.FileMode) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.parents(name)
	n := newNode(mode)
	n.content = []byte(content)
	m.set(name, n)
}

// Text returns a file's content and whether the file exists, for tests.
func (m *MemFiles) Text(name string) (string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.nodes[name]
	if n == nil || !n.mode.IsRegular() {
		return "", false
	}
	return string(n.content), true
}

// Snapshot lists every path with its mode, owner, time and content, sorted.
func (m *MemFiles) Snapshot() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var lines []string
	for name, n := range m.nodes {
		lines = append(lines, fmt.Sprintf("%s %s %s:%s %d %q %q\n",
			name, n.mode, n.owner, n.group, n.mtime.Unix(), n.target, n.content))
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// set stores a node with a new time.
func (m *MemFiles) set(name string, n *node) {
	m.writes++
	n.mtime = epoch.Add(time.Duration(m.writes) * time.Second)
	m.nodes[name] = n
}

func (m *MemFiles) parents(name string) {
	for dir := path.Dir(name); m.nodes[dir] == nil; dir = path.Dir(dir) {
		m.nodes[dir] = newNode(fs.ModeDir | 0o755)
	}
}

// get returns a node; the lock is held.
func (m *MemFiles) get(ctx context.Context, op, name string) (*node, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if n := m.nodes[path.Clean(name)]; n != nil {
		return n, nil
	}
	return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
}

// Stat describes a file.
func (m *MemFiles) Stat(ctx context.Context, name string) (module.FileInfo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.get(ctx, "stat", name)
	if err != nil {
		return module.FileInfo{}, err
	}
	return n.info(path.Base(name)), nil
}

func (n *node) info(name string) module.FileInfo {
	return module.FileInfo{
		Name: name, Size: int64(len(n.content)), Mode: n.mode, MTime: n.mtime,
		UID: number(n.owner), GID: number(n.group), Owner: n.owner, Group: n.group,
		Target: n.target,
	}
}

// number returns the id of a name: the name itself if it is a number, 0 for root, else
// 1000.
func number(name string) uint32 {
	if id, err := strconv.ParseUint(name, 10, 32); err == nil {
		return uint32(id)
	}
	if name == "root" {
		return 0
	}
	return 1000
}

// Open reads a file, through links.
func (m *MemFiles) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.get(ctx, "open", name)
	for hops := 0; err == nil && n.target != "" && hops < 8; hops++ {
		n, err = m.get(ctx, "open", n.target)
	}
	if err != nil {
		return nil, err
	}
	if n.mode.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return io.NopCloser(bytes.NewReader(n.content)), nil
}

// List describes what is in a folder.
func (m *MemFiles) List(ctx context.Context, name string) ([]module.FileInfo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.get(ctx, "list", name); err != nil {
		return nil, err
	}
	var infos []module.FileInfo
	for full, n := range m.nodes {
		if full != "/" && path.Dir(full) == path.Clean(name) {
			infos = append(infos, n.info(path.Base(full)))
		}
	}
	slices.SortFunc(infos, func(a, b module.FileInfo) int { return strings.Compare(a.Name, b.Name) })
	return infos, nil
}

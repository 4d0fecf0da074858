package moduletest

import (
	"context"
	"io"
	"io/fs"
	"maps"
	"path"
	"strings"

	"kinit/engine/module"
)

// Write replaces a file's content. The folder must exist.
func (m *MemFiles) Write(ctx context.Context, name string, content io.Reader, attr module.Attr) error {
	data, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.get(ctx, "write", path.Dir(name)); err != nil {
		return err
	}
	n := newNode(0o644)
	if old := m.nodes[name]; old != nil && old.mode.IsRegular() {
		n.mode, n.owner, n.group = old.mode, old.owner, old.group
	}
	n.content = data
	n.apply(attr)
	m.set(name, n)
	return nil
}

// Mkdir makes a folder and its missing parents.
func (m *MemFiles) Mkdir(ctx context.Context, name string, attr module.Attr) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	old := m.nodes[name]
	if old != nil && !old.mode.IsDir() {
		return &fs.PathError{Op: "mkdir", Path: name, Err: fs.ErrExist}
	}
	if old == nil {
		m.parents(name)
		old = newNode(fs.ModeDir | 0o755)
		m.set(name, old)
	}
	old.apply(attr)
	return nil
}

// SetAttr changes mode and owner.
func (m *MemFiles) SetAttr(ctx context.Context, name string, attr module.Attr) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.get(ctx, "chmod", name)
	if err != nil {
		return err
	}
	n.apply(attr)
	return nil
}

func (n *node) apply(attr module.Attr) {
	if attr.Mode != 0 {
		n.mode = n.mode.Type() | attr.Mode
	}
	if attr.Owner != "" {
		n.owner = attr.Owner
	}
	if attr.Group != "" {
		n.group = attr.Group
	}
}

// Symlink makes name a link to target.
func (m *MemFiles) Symlink(ctx context.Context, target, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.get(ctx, "symlink", path.Dir(name)); err != nil {
		return err
	}
	if old := m.nodes[name]; old != nil && old.target == "" {
		return &fs.PathError{Op: "symlink", Path: name, Err: fs.ErrExist}
	}
	n := newNode(fs.ModeSymlink | 0o777)
	n.target = target
	m.set(name, n)
	return nil
}

// Remove deletes a path and everything below it.
func (m *MemFiles) Remove(ctx context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	for full := range m.nodes {
		if full == name || strings.HasPrefix(full, name+"/") {
			delete(m.nodes, full)
		}
	}
	return nil
}

// Rename moves a path and everything below it.
func (m *MemFiles) Rename(ctx context.Context, from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.get(ctx, "rename", from)
	if err != nil {
		return err
	}
	if _, err := m.get(ctx, "rename", path.Dir(to)); err != nil {
		return err
	}
	moved := map[string]*node{to: n}
	for full, below := range m.nodes {
		if rest, inside := strings.CutPrefix(full, from+"/"); inside {
			moved[to+"/"+rest] = below
			delete(m.nodes, full)
		}
	}
	delete(m.nodes, from)
	maps.Copy(m.nodes, moved)
	return nil
}

// Folder finds the folder of a path. It is always closed, since this machine has no other
// users.
func (m *MemFiles) Folder(ctx context.Context, name string) (module.Folder, error) {
	return module.Folder{Path: path.Dir(name), Closed: true}, ctx.Err()
}

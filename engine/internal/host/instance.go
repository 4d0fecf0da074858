package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"kinit/engine/exactjson"
	"kinit/engine/internal/instance"
	"kinit/engine/internal/topology"
	"kinit/engine/module"
)

// Found is the instance that has an owner's name on a machine.
type Found struct {
	instance.Instance
	// Old is set if the owner has marks from a version without instances.
	Old bool
	// Cluster is set if the owner is a cluster, which keeps its record on the machine.
	Cluster bool
}

// Nothing reports whether the owner has neither an instance nor marks on the host.
func (f Found) Nothing() bool { return !f.There() && !f.Old }

// Origin is that of the instance. For marks without one it continues the name of what has them.
func (f Found) Origin() string {
	if f.Old {
		return "was made by a version of kinit that noted no instance"
	}
	return f.Instance.Origin()
}

// MadeIt is the origin as a clause with a subject.
func (f Found) MadeIt() string {
	if f.Old {
		return "it " + f.Origin()
	}
	return f.Origin()
}

// Found reads the instance that has an owner's name on the machine. It finds nothing for a
// user who may not read that.
func (m *Machine) Found(ctx context.Context, owner string) (Found, error) {
	b := m.Bind(owner, nil).(*bound)
	found, err := b.found(ctx)
	if err == nil && !found.Nothing() {
		found.Cluster, err = b.hasRecord(ctx)
	}
	if errors.Is(err, fs.ErrPermission) {
		return Found{}, nil
	}
	if err != nil {
		return Found{}, fmt.Errorf("read whose %s is on %s: %w", owner, m.name, err)
	}
	return found, nil
}

// hasRecord reports whether the owner's folder has the record of a cluster.
func (b *bound) hasRecord(ctx context.Context) (bool, error) {
	_, err := b.files.Stat(ctx, path.Join(path.Dir(b.folder()), topology.RecordFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func (b *bound) found(ctx context.Context) (Found, error) {
	text, err := b.text(ctx, path.Join(b.folder(), instanceFile))
	if errors.Is(err, fs.ErrNotExist) {
		kinds, err := b.list(ctx, b.folder())
		return Found{Old: len(kinds) > 0}, err
	}
	var found Found
	if err != nil {
		return found, err
	}
	if err := json.Unmarshal(text, &found.Instance); err != nil || !found.There() {
		return found, fmt.Errorf("%s names no instance: %w", path.Join(b.folder(), instanceFile), errors.Join(err, errNone))
	}
	return found, nil
}

// errNone is the error for a file of valid JSON that names no instance.
var errNone = errors.New("it has no id")

// Belongs sets the instance of the marks that are made and read from now on. begin is
// called before the first mark of the instance is made on the machine; it may be nil.
func (m *Machine) Belongs(i instance.Instance, begin func() error) { m.instance, m.begin = i, begin }

// Adopt records on the machine the instance that its marks belong to.
func (m *Machine) Adopt(ctx context.Context, owner string) error {
	b := m.Bind(owner, nil).(*bound)
	b.owning.Lock()
	defer b.owning.Unlock()
	return b.note(ctx)
}

// Instance returns the id that the owner's marks carry.
func (b *bound) Instance() string {
	if b.owner == "" {
		return ""
	}
	return b.instance.InMarks()
}

// Settle records the owner's instance on the machine before an object is made that carries it: later
// runs would take the object for another instance's.
func Settle(ctx context.Context, h module.Host) error {
	b, ok := h.(*bound)
	if !ok || b.owner == "" {
		return nil
	}
	b.owning.Lock()
	defer b.owning.Unlock()
	return b.settle(ctx)
}

// settle records the instance before the first mark, so that marks always have one.
func (b *bound) settle(ctx context.Context) error {
	if !b.instance.There() {
		return nil
	}
	_, err := b.files.Stat(ctx, path.Join(b.folder(), instanceFile))
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return b.note(ctx)
}

func (b *bound) note(ctx context.Context) error {
	if b.begin != nil {
		if err := b.begin(); err != nil {
			return err
		}
	}
	if err := b.mkdir(ctx, b.folder()); err != nil {
		return err
	}
	if err := b.store(ctx, path.Join(b.folder(), instanceFile), b.instance); err != nil {
		return fmt.Errorf("note the instance of %s: %w", b.owner, err)
	}
	return nil
}

// store writes a file of the manifest, as JSON.
func (b *bound) store(ctx context.Context, name string, value any) error {
	text, err := exactjson.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return b.files.Write(ctx, name, bytes.NewReader(append(text, '\n')), module.Attr{Mode: 0o600})
}

// instanceFile is the file among an owner's marks that names their instance.
const instanceFile = "instance.json"

// largestMark is the most, in bytes, that is read of one mark.
const largestMark = 16 << 20

// folder returns the folder of the owner's marks.
func (b *bound) folder() string {
	return path.Join(b.settings.Manifests, b.escape(b.owner), "owned")
}

// list returns the paths in a folder, without hidden files, which are unfinished, and
// without the instance file. A missing folder counts as empty.
func (b *bound) list(ctx context.Context, folder string) ([]string, error) {
	infos, err := b.files.List(ctx, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, info := range infos {
		if info.Name[0] != '.' && info.Name != instanceFile {
			names = append(names, path.Join(folder, info.Name))
		}
	}
	return names, err
}

// mkdir makes a folder of the manifests and those above it, all with private modes.
func (b *bound) mkdir(ctx context.Context, folder string) error {
	if _, err := b.files.Stat(ctx, folder); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if folder != b.settings.Manifests {
		if err := b.mkdir(ctx, path.Dir(folder)); err != nil {
			return err
		}
	}
	return b.files.Mkdir(ctx, folder, module.Attr{Mode: 0o700})
}

// text reads a small file of the manifest.
func (b *bound) text(ctx context.Context, name string) ([]byte, error) {
	file, err := b.files.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, largestMark))
}

// Package manifest reads the marks of all owners on a host.
//
// A module reads its own owner's marks through module.Host; clean-up also needs the objects
// that others still use, and the marks under its owner's name that are not its
// owner's.
package manifest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"kinit/engine/exactjson"
	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
)

// Folder is a host's folder of manifests, with a folder for each owner; each mark is a
// JSON file below "owned" and a folder for its kind.
const Folder = module.Manifests

// Shared is the folder for files that all clusters on a host use. The first cluster makes
// and marks them; they are removed with the last.
const Shared = module.StateFolder + "/shared"

// sharedUnit begins the names of units that serve all clusters of a host.
const sharedUnit = "kinit-shared-"

// IsShared reports whether a path is Shared or below it, or a name is that of a shared unit.
func IsShared(name string) bool {
	return strings.HasPrefix(name+"/", Shared+"/") || strings.HasPrefix(name, sharedUnit)
}

// Of returns an owner's private folder: its manifest and its files.
func Of(owner string) string { return path.Join(Folder, owner) }

// Owned returns the folder of an owner's marks.
func Owned(owner string) string { return path.Join(Of(owner), "owned") }

// instanceFile records, beside an owner's marks, their instance.
const instanceFile = "instance.json"

// storedMark is a mark in the engine's format, reduced to the fields in use.
type storedMark struct {
	module.Mark
	Instance string `json:"instance"`
}

// Others are the marks of the host's other owners.
type Others struct {
	owners map[thing]string
}

type thing struct{ kind, id string }

// ReadOthers reads the marks of all owners but the host's own.
func ReadOthers(ctx context.Context, h module.Host) (Others, error) {
	others := Others{owners: map[thing]string{}}
	owners, err := list(ctx, h, Folder)
	if err != nil {
		return others, err
	}
	for _, owner := range owners {
		if owner == h.Owner() {
			continue
		}
		stored, err := marksOf(ctx, h, owner)
		if err != nil {
			return others, err
		}
		for _, r := range stored {
			others.owners[thing{r.Kind, r.ID}] = owner
		}
	}
	return others, nil
}

// Strangers lists the marks below the owner's name that belong to another instance.
func Strangers(ctx context.Context, h module.Host) ([]module.Mark, error) {
	stored, err := marksOf(ctx, h, h.Owner())
	var marks []module.Mark
	for _, r := range stored {
		if r.Instance != h.Instance() {
			marks = append(marks, r.Mark)
		}
	}
	return marks, err
}

func marksOf(ctx context.Context, h module.Host, owner string) ([]storedMark, error) {
	kinds, err := list(ctx, h, Owned(owner))
	if err != nil {
		return nil, err
	}
	var all []storedMark
	for _, kind := range kinds {
		names, err := list(ctx, h, path.Join(Owned(owner), kind))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			text, there, err := hostfile.Read(ctx, h, path.Join(Owned(owner), kind, name))
			if err != nil {
				return nil, err
			}
			var r storedMark
			if !there {
				continue
			}
			if err := exactjson.Unmarshal([]byte(text), &r); err != nil {
				return nil, fmt.Errorf("read the mark %s of %s: %w", name, owner, err)
			}
			all = append(all, r)
		}
	}
	return all, nil
}

// Owner returns another owner of the object, or "".
func (o Others) Owner(kind, id string) string { return o.owners[thing{kind, id}] }

// Any returns another owner with a mark on the host, or "".
func (o Others) Any() string { return o.first("") }

// Below returns another owner with a mark in a folder, or "".
func (o Others) Below(dir string) string { return o.first(dir + "/") }

// first returns the first owner by name of those with an id that begins so.
func (o Others) first(prefix string) string {
	first := ""
	for thing, owner := range o.owners {
		if strings.HasPrefix(thing.id, prefix) && (first == "" || owner < first) {
			first = owner
		}
	}
	return first
}

// Exists reports whether an owner has a manifest, even an empty one.
func Exists(ctx context.Context, h module.Host, owner string) (bool, error) {
	return hostfile.Exists(ctx, h, Owned(owner))
}

// Remove deletes the folder of the host's owner, and empty folders above it. If files in the
// folder must remain, only the manifest is removed. The owner's instance is removed last, so
// that after an interruption the owner of the rest is known.
func Remove(ctx context.Context, h module.Host, stays bool) error {
	kinds, err := list(ctx, h, Owned(h.Owner()))
	if err != nil {
		return err
	}
	for _, kind := range kinds {
		if err := h.Files().Remove(ctx, path.Join(Owned(h.Owner()), kind)); err != nil {
			return fmt.Errorf("remove the manifest: %w", err)
		}
	}
	doomed := Of(h.Owner())
	if stays {
		doomed = Owned(h.Owner())
	}
	if err := h.Files().Remove(ctx, doomed); err != nil {
		return fmt.Errorf("remove the manifest: %w", err)
	}
	return removeEmpty(ctx, h, path.Dir(doomed))
}

// removeEmpty removes a folder of kinit's and those above it, as long as they are empty.
func removeEmpty(ctx context.Context, h module.Host, dir string) error {
	for ; dir != path.Dir(module.StateFolder); dir = path.Dir(dir) {
		infos, err := h.Files().List(ctx, dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || len(infos) > 0 {
			return err
		}
		if err := h.Files().Remove(ctx, dir); err != nil {
			return fmt.Errorf("remove %s: %w", dir, err)
		}
	}
	return nil
}

// IsEmpty reports whether a host has the folder of manifests with nothing in it, which a
// removal leaves that was interrupted at its end.
func IsEmpty(ctx context.Context, h module.Host) (bool, error) {
	infos, err := h.Files().List(ctx, Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return len(infos) == 0, err
}

// HandOver moves a mark of the host's owner to another owner, who then owns the
// object. A missing mark is not an error: it was already moved.
func HandOver(ctx context.Context, h module.Host, mark module.Mark, to string) error {
	from := path.Join(Owned(h.Owner()), mark.Kind)
	names, err := list(ctx, h, from)
	if err != nil {
		return err
	}
	for _, name := range names {
		text, _, err := hostfile.Read(ctx, h, path.Join(from, name))
		if err != nil {
			return err
		}
		var found module.Mark
		if exactjson.Unmarshal([]byte(text), &found) != nil || found.Kind != mark.Kind || found.ID != mark.ID {
			continue
		}
		if err := give(ctx, h, text, path.Join(Owned(to), mark.Kind, name), to); err != nil {
			return fmt.Errorf("hand over %s %s: %w", mark.Kind, mark.ID, err)
		}
		return h.Files().Remove(ctx, path.Join(from, name))
	}
	return nil
}

// give writes a mark as that of another owner's instance. An existing mark of the other
// owner does not change.
func give(ctx context.Context, h module.Host, text, name, to string) error {
	if there, err := hostfile.Exists(ctx, h, name); err != nil || there {
		return err
	}
	id, err := instanceOf(ctx, h, to)
	if err != nil {
		return err
	}
	var mark map[string]any
	if err := exactjson.Unmarshal([]byte(text), &mark); err != nil {
		return err
	}
	if mark["instance"] = id; id == "" {
		delete(mark, "instance")
	}
	signed, err := exactjson.MarshalIndent(mark, "", "  ")
	if err != nil {
		return err
	}
	if err := h.Files().Mkdir(ctx, path.Dir(name), module.Attr{Mode: 0o700}); err != nil {
		return err
	}
	return hostfile.Write(ctx, h, name, string(signed)+"\n", module.Attr{Mode: 0o600})
}

// instanceOf returns the instance in the marks of an owner.
func instanceOf(ctx context.Context, h module.Host, owner string) (string, error) {
	text, there, err := hostfile.Read(ctx, h, path.Join(Owned(owner), instanceFile))
	if err != nil || !there {
		return "", err
	}
	var i struct {
		ID       string `json:"id"`
		Unmarked bool   `json:"unmarked"`
	}
	if err := json.Unmarshal([]byte(text), &i); err != nil {
		return "", fmt.Errorf("read whose %s is: %w", owner, err)
	}
	if i.Unmarked {
		return "", nil
	}
	return i.ID, nil
}

// list returns the names in a folder, without hidden ones, which are being written, and
// without the instance file. A missing folder counts as empty.
func list(ctx context.Context, h module.Host, folder string) ([]string, error) {
	infos, err := h.Files().List(ctx, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", folder, err)
	}
	var names []string
	for _, info := range infos {
		if !strings.HasPrefix(info.Name, ".") && info.Name != instanceFile {
			names = append(names, info.Name)
		}
	}
	return names, nil
}

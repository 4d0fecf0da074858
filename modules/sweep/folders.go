package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/manifest"
	"kinit/modules/internal/pathmark"
)

// behind are folders that kinit made, and that clean-ups left since other files were in them.
type behind struct {
	folders []string            // the longest paths first
	content map[string][]string // the paths in them
	ready   bool                // one of them can be removed, or is gone
}

func (s state) isHeld(mark module.Mark) bool {
	return s.held[mark.ID] != nil && mark.Kind == hostfile.DirectoryKind
}

// holders finds the marked folders that stay: no object that goes is in them, but something else is. Before the other
// objects have gone it is not known, so each folder is tried once. With all, no mark stays.
func (t *Task) holders(ctx context.Context, h module.Host, s state) (map[string][]string, error) {
	doomed := t.doomed(s)
	folder := func(mark module.Mark) bool { return mark.Kind == hostfile.DirectoryKind }
	if t.All || !slices.ContainsFunc(doomed, folder) || slices.ContainsFunc(doomed, func(m module.Mark) bool { return !folder(m) }) {
		return nil, nil
	}
	kind, _ := t.find(hostfile.DirectoryKind)
	content, going := map[string][]string{}, map[string]bool{}
	for _, mark := range doomed {
		names, err := names(ctx, h, mark.ID)
		if err != nil {
			return nil, err
		}
		content[mark.ID] = names
	}
	survives := func(dir string) bool {
		return slices.ContainsFunc(s.marks, func(m module.Mark) bool {
			return strings.HasPrefix(m.ID, dir+"/") && !(folder(m) && going[m.ID])
		})
	}
	for more := true; more; {
		more = false
		for _, mark := range doomed {
			dir := mark.ID
			blocked := slices.ContainsFunc(content[dir], func(name string) bool { return !going[name] })
			handed := s.others.Owner(mark.Kind, dir) != "" || heir(kind, mark, s.others) != ""
			whole := pathmark.Private(h.Owner(), dir) && dir != manifest.Of(h.Owner()) && !survives(dir)
			if !going[dir] && (!blocked || handed || whole) {
				going[dir], more = true, true
			}
		}
	}
	held := map[string][]string{}
	for _, mark := range doomed {
		if !going[mark.ID] {
			held[mark.ID] = slices.DeleteFunc(content[mark.ID], func(name string) bool { return going[name] })
		}
	}
	return held, nil
}

// names lists the paths in a folder. What is no folder any more, or is gone, has none.
func names(ctx context.Context, h module.Host, dir string) ([]string, error) {
	if is, err := isFolder(ctx, h, dir); err != nil || !is {
		return nil, err
	}
	infos, err := h.Files().List(ctx, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", dir, err)
	}
	var all []string
	for _, info := range infos {
		all = append(all, path.Join(dir, info.Name))
	}
	return all, nil
}

func isFolder(ctx context.Context, h module.Host, dir string) (bool, error) {
	info, there, err := hostfile.Look(ctx, h, dir)
	return there && info.Mode.IsDir(), err
}

// keepOrNote reports whether a folder that is still there keeps its mark. If all marks go, the folder is noted first.
// Folders that the manifest itself, or what is kept, is in are no others'.
func (t *Task) keepOrNote(ctx context.Context, h module.Host, mark module.Mark, s state) (keep bool, err error) {
	there, err := hostfile.Exists(ctx, h, mark.ID)
	if err != nil || !there {
		return false, err
	}
	if !t.All {
		return true, nil
	}
	kept := slices.DeleteFunc(slices.Clone(s.marks), func(m module.Mark) bool { return !t.stays(m) })
	if holdsManifest(h, mark.ID) || pathmark.Below(kept, mark.ID) {
		return false, nil
	}
	folders, err := manifest.Left(ctx, h)
	if err != nil || slices.Contains(folders, mark.ID) {
		return false, err
	}
	return false, manifest.Leave(ctx, h, append(folders, mark.ID))
}

func holdsManifest(h module.Host, dir string) bool {
	return strings.HasPrefix(manifest.Of(h.Owner())+"/", dir+"/")
}

// readBehind reads what earlier clean-ups have left. Only a sweep of everything removes it.
func (t *Task) readBehind(ctx context.Context, h module.Host) (behind, error) {
	var b behind
	if !t.All || !t.covers(hostfile.DirectoryKind) {
		return b, nil
	}
	folders, err := manifest.Left(ctx, h)
	if err != nil || len(folders) == 0 {
		return b, err
	}
	going := map[string]bool{}
	b.content = map[string][]string{}
	b.folders = slices.SortedFunc(slices.Values(folders), func(x, y string) int { return strings.Compare(y, x) })
	for _, dir := range b.folders {
		content, err := names(ctx, h, dir)
		if err != nil {
			return b, err
		}
		b.content[dir] = content
		going[dir] = !slices.ContainsFunc(content, func(name string) bool { return !going[name] })
	}
	b.ready = slices.Contains(slices.Collect(maps.Values(going)), true)
	return b, nil
}

// retry returns the step that removes what earlier clean-ups have left, or nil: a folder is empty, or may be after
// the steps before.
func (t *Task) retry(s state, doomed []module.Mark) module.Step {
	if len(s.behind.folders) == 0 || !s.behind.ready && len(doomed) == 0 {
		return nil
	}
	text := "remove folders that an earlier clean-up has left, if they are empty: " + strings.Join(s.behind.folders, ", ")
	return module.NewStep(text, func(ctx context.Context, h module.Host) error {
		others, err := manifest.ReadOthers(ctx, h)
		if err != nil {
			return err
		}
		left, err := manifest.Left(ctx, h) // the steps before may have added some
		if err != nil {
			return err
		}
		for _, dir := range s.behind.folders {
			content, err := names(ctx, h, dir)
			if err != nil {
				return err
			}
			if len(content) > 0 {
				continue
			}
			is, err := isFolder(ctx, h, dir) // not what somebody has put in its place
			if err != nil {
				return err
			}
			if is && others.Owner(hostfile.DirectoryKind, dir) == "" {
				if err := h.Files().Remove(ctx, dir); err != nil {
					return fmt.Errorf("remove %s: %w", dir, err)
				}
			}
			left = slices.DeleteFunc(left, func(name string) bool { return name == dir })
		}
		return manifest.Leave(ctx, h, left)
	})
}

// staying reports the folders that stay, with what is in them.
func staying(h module.Host, s state) string {
	var text strings.Builder
	for _, dir := range slices.Sorted(maps.Keys(s.held)) {
		if !holdsManifest(h, dir) {
			fmt.Fprintf(&text, "\nfolder %s stays: %s; a run removes it once it is empty", dir, reason(s.held[dir], s.held))
		}
	}
	for _, dir := range slices.Sorted(slices.Values(s.behind.folders)) {
		fmt.Fprintf(&text, "\nfolder %s stays: %s; another clean-up removes it once it is empty", dir, reason(s.behind.content[dir], s.behind.content))
	}
	return text.String()
}

// reason says what keeps a folder with such content: files that kinit did not make, or folders that have some.
func reason(content []string, stay map[string][]string) string {
	foreign := slices.DeleteFunc(slices.Clone(content), func(name string) bool { return stay[name] != nil })
	if len(foreign) == 0 {
		return pathmark.Some(lists.Map(content, path.Base)) + " stays"
	}
	return "kinit did not make " + pathmark.Some(lists.Map(foreign, path.Base))
}

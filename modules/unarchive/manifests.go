package unarchive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"kinit/engine/exactjson"
	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/tree"
)

// manifests reads what archives left in a folder, by the names of the manifests. An unreadable manifest counts as missing.
func manifests(ctx context.Context, h module.Host, folder string) (map[string]manifest, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{"find", folder + "/", "-maxdepth", "1", "-type", "f", "-name", hiddenName + "*.json", "-printf", `%f\n`}})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", folder, err)
	}
	all := map[string]manifest{}
	for name := range strings.FieldsSeq(out.Stdout) {
		text, there, err := hostfile.Read(ctx, h, path.Join(folder, name))
		if err != nil {
			return nil, err
		}
		var m manifest
		if there && exactjson.Unmarshal([]byte(text), &m) == nil {
			all[name] = m
		}
	}
	return all, nil
}

// identity is what distinguishes the archive from others in its folder: the task, so that a new archive of the task
// replaces the earlier one. A task without a playbook has only the archive's name.
func (t *Task) identity() string {
	if t.called != "" {
		return t.called
	}
	return t.name()
}

// hidden returns a name in the folder that belongs to the archive alone.
func (t *Task) hidden(end string) string {
	sum := sha256.Sum256([]byte(t.identity()))
	return hiddenName + "-" + hex.EncodeToString(sum[:6]) + end
}

// pick separates the manifest of the task's archive from the others. A task that removes an archive of a certain name
// finds it whichever task unpacked it; one that names none removes all.
func (t *Task) pick(s *state) {
	own := t.hidden(manifestEnd)
	s.manifest, s.unpacked = s.others[own]
	mine := func(name string, m manifest) bool {
		return name == own || t.Absent() && (t.name() == "" || !s.unpacked && m.Name == t.name())
	}
	s.going = map[string]manifest{}
	for name, m := range s.others {
		if mine(name, m) {
			s.going[name] = m
		}
	}
	maps.DeleteFunc(s.others, mine)
}

// adopt takes the manifest of the same archive, if an earlier version of kinit or another task wrote it.
func (t *Task) adopt(s *state) {
	for _, name := range slices.Sorted(maps.Keys(s.others)) {
		if m := s.others[name]; m.SHA256 == s.sum && t.chose(m) {
			s.manifest, s.unpacked = m, true
			if m.Name == "" {
				s.old = name
			}
			delete(s.others, name)
			return
		}
	}
}

// shared returns the entries of manifests by path. Archives share folders, and files such as a LICENSE, of which the
// last one that was unpacked remains.
func shared(all map[string]manifest) map[string][]tree.Entry {
	entries := map[string][]tree.Entry{}
	for _, m := range all {
		for _, e := range m.Unpacked {
			entries[e.Path] = append(entries[e.Path], e)
		}
	}
	return entries
}

// madeDest reports whether the folder was made for one of the archives.
func madeDest(all map[string]manifest) bool {
	for _, m := range all {
		if m.NewDest {
			return true
		}
	}
	return false
}

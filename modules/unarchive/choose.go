package unarchive

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/tree"
)

// choose removes the unpacked entries that include and exclude leave out, and returns the others.
func (t *Task) choose(ctx context.Context, h module.Host, parts string, all []tree.Entry) ([]tree.Entry, error) {
	if len(t.Include)+len(t.Exclude) == 0 {
		return all, nil
	}
	chosen := t.chosen(all)
	out := slices.DeleteFunc(slices.Clone(all), func(e tree.Entry) bool { return slices.Contains(chosen, e) })
	if len(stripped(chosen, t.Strip)) == 0 {
		return nil, fmt.Errorf("include and exclude leave nothing of %s", h.Redact(t.name()))
	}
	return chosen, tree.Remove(ctx, h, parts, out)
}

// chosen returns the entries that are unpacked, and the folders that they are in.
func (t *Task) chosen(all []tree.Entry) []tree.Entry {
	folders := map[string]bool{}
	for _, e := range all {
		if !t.chooses(e) {
			continue
		}
		for folder := e.Path; folder != "."; folder = path.Dir(folder) {
			folders[folder] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(e tree.Entry) bool { return !folders[e.Path] })
}

// chooses reports whether an entry is unpacked by its own name. Patterns are for names without the stripped
// folders.
func (t *Task) chooses(e tree.Entry) bool {
	placed := stripped([]tree.Entry{e}, t.Strip)
	if len(placed) == 0 {
		return false
	}
	name := placed[0].Path
	return (len(t.Include) == 0 || within(t.Include, name)) && !within(t.Exclude, name)
}

// chose reports whether the task unpacks the same part of an archive as its manifest says.
func (t *Task) chose(m manifest) bool {
	return m.Strip == t.Strip && slices.Equal(m.Include, t.Include) && slices.Equal(m.Exclude, t.Exclude)
}

// within reports whether a pattern matches a name, or a folder that it is in.
func within(patterns []string, name string) bool {
	for ; name != "."; name = path.Dir(name) {
		if matches(patterns, name) {
			return true
		}
	}
	return false
}

// matches reports whether one of the patterns matches a name.
func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		is, err := path.Match(pattern, name)
		return is && err == nil
	})
}

// checkPatterns returns the mistake in the patterns of an argument.
func checkPatterns(argument string, patterns []string) error {
	for _, pattern := range patterns {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("%s has %q, which is no pattern: %w", argument, pattern, err)
		}
		if strings.HasPrefix(pattern, "/") || strings.HasSuffix(pattern, "/") {
			return fmt.Errorf("%s has %q, want a name in the archive without a slash at its ends: a folder stands for all that is in it", argument, pattern)
		}
	}
	return nil
}

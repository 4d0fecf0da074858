// Package kubefile adds the access to a cluster to a kubectl configuration file, and
// removes it again. Nothing else in the file changes; in a file in kubectl's own
// format, every other byte remains.
//
// Added entries carry a mark, so that foreign entries with the
// same name are never touched. The format is that of client-go's Config, v1.
package kubefile

import (
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// ErrForeign means that somebody else made an entry with that name.
var ErrForeign = errors.New("made by somebody else")

// mark is the name of the extension that identifies kinit's entries.
const mark = "kinit"

// The lists of a file, with the key that an entry's content has.
const (
	clusters = "clusters"
	contexts = "contexts"
	users    = "users"
)

// currentContext is the key of the name of the context that is used.
const currentContext = "current-context"

var lists = []string{clusters, contexts, users}

// inner is the key of an entry's content in a list.
func inner(list string) string {
	return map[string]string{clusters: "cluster", contexts: "context", users: "user"}[list]
}

// empty is a file without any entry.
const empty = "apiVersion: v1\nkind: Config\npreferences: {}\n"

// find returns the content of an entry of a list, and whether it is there.
func find(file map[string]any, list, name string) (map[string]any, bool) {
	items, _ := file[list].([]any)
	i := slices.IndexFunc(items, func(item any) bool { return nameOf(item) == name })
	if i < 0 {
		return nil, false
	}
	entry, _ := items[i].(map[string]any)
	content, _ := entry[inner(list)].(map[string]any)
	return content, true
}

func parse(text []byte) (map[string]any, error) {
	file := map[string]any{}
	if err := yaml.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("this is no kubeconfig: %w", err)
	}
	for _, list := range lists {
		if _, is := file[list].([]any); !is && file[list] != nil {
			return nil, fmt.Errorf("this is no kubeconfig: %s is no list", list)
		}
	}
	return file, nil
}

func marked(content map[string]any) bool {
	extensions, _ := content["extensions"].([]any)
	for _, e := range extensions {
		if one, ok := e.(map[string]any); ok && one["name"] == mark {
			return true
		}
	}
	return false
}

// Merge adds the current context of a kubeconfig to a file under a name, which its
// cluster, user and context get, and makes it the current one. The file can be empty.
// The error wraps ErrForeign if somebody else uses the name.
func Merge(file []byte, name string, kubeconfig []byte) ([]byte, error) {
	contents, err := access(name, kubeconfig)
	if err != nil {
		return nil, err
	}
	if len(file) == 0 {
		file = []byte(empty)
	}
	before, err := parse(file)
	if err != nil {
		return nil, err
	}
	for _, list := range lists {
		if content, there := find(before, list, name); there && !marked(content) {
			return nil, fmt.Errorf("the %s entry %q is %w: choose another name", inner(list), name, ErrForeign)
		}
	}
	for _, list := range lists {
		if file, err = put(file, list, name, contents[list]); err != nil {
			return nil, err
		}
	}
	return setCurrent(file, name)
}

// Remove removes the entries that Merge has added under a name, and reports whether there
// were any. Foreign entries remain.
func Remove(file []byte, name string) ([]byte, bool, error) {
	before, err := parse(file)
	if err != nil {
		return nil, false, err
	}
	found := false
	for _, list := range lists {
		if content, there := find(before, list, name); !there || !marked(content) {
			continue
		}
		found = true
		if file, err = drop(file, list, name); err != nil {
			return nil, false, err
		}
	}
	if found && before[currentContext] == name {
		file, err = setCurrent(file, "")
	}
	return file, found, err
}

// access takes the contents of the current context apart, with the mark and the new
// names.
func access(name string, kubeconfig []byte) (map[string]map[string]any, error) {
	c, err := parse(kubeconfig)
	if err != nil {
		return nil, err
	}
	current, _ := c[currentContext].(string)
	context, ok := find(c, contexts, current)
	if !ok {
		return nil, fmt.Errorf("the cluster's kubeconfig has no context %q, which it calls its current one", current)
	}
	found := map[string]map[string]any{contexts: context}
	for list, key := range map[string]string{clusters: "cluster", users: "user"} {
		wanted, _ := context[key].(string)
		content, ok := find(c, list, wanted)
		if !ok {
			return nil, fmt.Errorf("the cluster's kubeconfig has no %s %q, which its context names", key, wanted)
		}
		found[list] = content
		context[key] = name
	}
	for _, content := range found {
		content["extensions"] = []any{map[string]any{"name": mark, "extension": map[string]any{"owner": name}}}
	}
	return found, nil
}

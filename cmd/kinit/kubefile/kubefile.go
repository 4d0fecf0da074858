// Package kubefile adds the access to a cluster to a kubectl configuration file, and
// removes it again. Nothing else in the file changes; in a file in kubectl's own
// format, every other byte remains.
//
// Added entries carry a mark, so that entries of others with the
// same name are never touched. The format is that of client-go's Config, v1.
package kubefile

import (
	"errors"
	"fmt"

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

var lists = []string{clusters, contexts, users}

// inner is the key of an entry's content in a list.
func inner(list string) string {
	return map[string]string{clusters: "cluster", contexts: "context", users: "user"}[list]
}

// empty is a file without any entry.
const empty = "apiVersion: v1\nkind: Config\npreferences: {}\n"

// config is what matters of a kubeconfig.
type config struct {
	Clusters []entry `yaml:"clusters"`
	Contexts []entry `yaml:"contexts"`
	Users    []entry `yaml:"users"`
	Current  string  `yaml:"current-context"`
}

// entry is one of a list. Of its three contents it has the one of its list.
type entry struct {
	Name    string         `yaml:"name"`
	Cluster map[string]any `yaml:"cluster"`
	Context map[string]any `yaml:"context"`
	User    map[string]any `yaml:"user"`
}

func (c *config) list(name string) []entry {
	return map[string][]entry{clusters: c.Clusters, contexts: c.Contexts, users: c.Users}[name]
}

// find returns the content of an entry, and whether it is there.
func (c *config) find(list, name string) (map[string]any, bool) {
	for _, e := range c.list(list) {
		if e.Name == name {
			return map[string]map[string]any{clusters: e.Cluster, contexts: e.Context, users: e.User}[list], true
		}
	}
	return nil, false
}

func parse(text []byte) (*config, error) {
	var c config
	if err := yaml.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("this is no kubeconfig: %w", err)
	}
	return &c, nil
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
		if content, there := before.find(list, name); there && !marked(content) {
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
// were any. Entries of others remain.
func Remove(file []byte, name string) ([]byte, bool, error) {
	before, err := parse(file)
	if err != nil {
		return nil, false, err
	}
	found := false
	for _, list := range lists {
		if content, there := before.find(list, name); !there || !marked(content) {
			continue
		}
		found = true
		if file, err = drop(file, list, name); err != nil {
			return nil, false, err
		}
	}
	if found && before.Current == name {
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
	context, ok := c.find(contexts, c.Current)
	if !ok {
		return nil, fmt.Errorf("the cluster's kubeconfig has no context %q, which it calls its current one", c.Current)
	}
	found := map[string]map[string]any{contexts: context}
	for list, key := range map[string]string{clusters: "cluster", users: "user"} {
		wanted, _ := context[key].(string)
		content, ok := c.find(list, wanted)
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

package ansiblecore

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kinit/engine/trust"
)

// configVariable names Ansible's configuration, and configFile is its name in a folder.
const (
	configVariable = "ANSIBLE_CONFIG"
	configFile     = "ansible.cfg"
)

// relative are the variables with paths that may be relative to the working directory.
var relative = []string{"ANSIBLE_COLLECTIONS_PATH", "ANSIBLE_COLLECTIONS_PATHS", "ANSIBLE_LIBRARY", "ANSIBLE_MODULE_UTILS", "ANSIBLE_HOME"}

// environment returns the environment of ansible-core, which runs in a private folder: paths that are relative to the
// working directory become absolute, and the configuration is the one that Ansible would find, if it may be obeyed.
func environment(environ []string, cwd, home string) ([]string, error) {
	out := slices.Clone(environ)
	config := ""
	for i, entry := range out {
		name, value, _ := strings.Cut(entry, "=")
		switch {
		case name == configVariable && value != "":
			config = absolute(value, cwd)
			out[i] = name + "=" + config
		case slices.Contains(relative, name):
			list := filepath.SplitList(value)
			for k := range list {
				list[k] = absolute(list[k], cwd)
			}
			out[i] = name + "=" + strings.Join(list, string(filepath.ListSeparator))
		}
	}
	rules := trust.From(environ)
	if config != "" {
		if err := rules.Named(config); err != nil {
			return nil, fmt.Errorf("the configuration that %s names is %w", configVariable, err)
		}
		return out, nil
	}
	for _, path := range []string{filepath.Join(cwd, configFile), filepath.Join(home, "."+configFile), "/etc/ansible/" + configFile} {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		if err := rules.Found(path); err != nil {
			return nil, fmt.Errorf("the configuration that Ansible finds is %w; or name one by %s", err, configVariable)
		}
		return append(out, configVariable+"="+path), nil
	}
	return out, nil
}

// absolute returns a path from the working directory. Ansible itself expands ~ and variables.
func absolute(path, cwd string) string {
	if path == "" || filepath.IsAbs(path) || path[0] == '~' || path[0] == '$' {
		return path
	}
	return filepath.Join(cwd, path)
}

// trusted checks the files of a module that ansible-core has found on its search paths.
func trusted(environ []string, files []string) error {
	rules := trust.From(environ)
	for _, file := range files {
		if err := rules.Found(file); err != nil {
			return fmt.Errorf("what ansible-core on the machine kinit runs on has found is %w", err)
		}
	}
	return nil
}

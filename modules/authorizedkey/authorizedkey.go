// Package authorizedkey is the module "authorized_key": who may log in as a user
// of the host with an SSH key.
package authorizedkey

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/account"
	"kinit/modules/internal/fileattr"
)

// Task is public keys in a user's authorized_keys, or not in it. A key is known by
// its type and data: a line with other options or another comment is replaced, and
// further lines with the same key go.
//
// What kinit adds is marked, and cleanup removes it; a folder or file that it made
// goes too when nothing else is in it. Lines of others are not changed on a host
// that belongs to a cluster; where that would be needed, it is an error.
//
// Outputs:
//   - path: the file; "" without path while there is no such user
//
// Errors:
//   - key is a private key, no key, or has options before the type
//   - sshd does not read options as they are given
//   - there is no such user when the task's turn comes
//   - the folder of the file is a link, or no folder
//   - a line would have to change or go that the cluster does not own
type Task struct {
	// User is the name of a local user. The folder and the file, where they are
	// missing, are made as this user's, with the modes 0700 and 0600.
	User string `hcl:"user"`
	// Key is a public key as in id_ed25519.pub, "TYPE DATA COMMENT", or several, a
	// line each. Blank lines and comments are passed over. Options belong into
	// options.
	Key string `hcl:"key"`
	// Options are put before each key, such as "restrict" or "from=\"192.0.2.0/24\"";
	// man 8 sshd, AUTHORIZED_KEYS FILE FORMAT.
	Options []string `hcl:"options,optional"`
	// Exclusive removes all other keys from the file. Default false.
	Exclusive bool `hcl:"exclusive,optional"`
	// Path is the absolute path of the file. Default .ssh/authorized_keys in the
	// user's home.
	Path string `hcl:"path,optional"`
	// State is "present" or "absent". Default "present".
	State string `hcl:"state,optional"`
}

// Kind is the module "authorized_key".
func Kind() module.Kind {
	return module.Kind{Name: "authorized_key", New: func() module.Task { return &Task{State: "present"} }}
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if t.User == "" {
		return errors.New("user is empty, want the name of a user")
	}
	if t.Path != "" {
		if err := fileattr.CheckPath("path", t.Path); err != nil {
			return err
		}
	}
	if err := fileattr.CheckState(t.State, "present", "absent"); err != nil {
		return err
	}
	keys, err := parseKeys(t.Key)
	switch {
	case err != nil:
		return err
	case len(keys) == 0:
		return errors.New("key is empty, want a public key such as that of an ssh_key task")
	case t.Exclusive && t.State == "absent":
		return errors.New("exclusive is for state = \"present\" only")
	}
	return t.checkOptions(keys[0])
}

// checkOptions has the options read back with a key.
func (t *Task) checkOptions(k key) error {
	back, ok := parseLine(t.line(k))
	if !ok || len(back.options) != len(t.Options) || strings.ContainsAny(strings.Join(t.Options, ""), "\r\n") {
		return fmt.Errorf("options are %q, want each as sshd reads it, such as \"restrict\" or \"from=\\\"192.0.2.0/24\\\"\"", t.Options)
	}
	return nil
}

// line is what stands in the file for a key.
func (t *Task) line(k key) string {
	text := k.text
	if len(t.Options) > 0 {
		text = strings.Join(t.Options, ",") + " " + text
	}
	return text
}

// home is the user, and where the file is.
func (t *Task) home(ctx context.Context, h module.Host) (account.User, string, error) {
	all, err := account.Read(ctx, h)
	if err != nil {
		return account.User{}, "", err
	}
	user, there := all.User(t.User)
	if !there || t.Path != "" {
		return user, t.Path, nil
	}
	return user, path.Join(user.Home, ".ssh", "authorized_keys"), nil
}

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type { return map[string]cty.Type{"path": cty.String} }

// Outputs tells where the file is.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	_, file, err := t.home(ctx, h)
	return map[string]cty.Value{"path": cty.StringVal(file)}, err
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
)

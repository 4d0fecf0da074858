// Package authorizedkey is the module "authorized_key": SSH keys that may log in as a user
// of the host.
package authorizedkey

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/account"
	"kinit/modules/internal/lines"
)

// Task is public keys that are present in or absent from a user's authorized_keys. A key is
// identified by its type and data: a line with other options or another comment is replaced,
// and further lines with the same key are removed.
//
// Lines that kinit adds are marked, and cleanup removes them; it also removes a folder or
// file that kinit made, if nothing else is in it. On a host that belongs to a cluster, foreign
// lines are not changed; a task that would have to change them fails.
//
// Errors:
//   - key is a private key, not a key, or has options before the type
//   - sshd does not understand the options
//   - the user does not exist when the task runs
//   - the folder of the file is a link, or not a folder
//   - the user has no home (/nonexistent), and path is not given
//   - a line would have to change or be removed that the cluster does not own
type Task struct {
	// User is the name of a local user. A missing folder and file are made with this user as
	// their owner, with the modes 0700 and 0600, and a missing home like the folder.
	User string `hcl:"user" nonempty:"want the name of a user"`
	// Key is a public key as in id_ed25519.pub, "TYPE DATA COMMENT", or several, one per
	// line. Blank lines and comments are ignored. Give options in the argument
	// options.
	Key string `hcl:"key"`
	// Options are put before each key, such as "restrict" or "from=\"192.0.2.0/24\"";
	// man 8 sshd, AUTHORIZED_KEYS FILE FORMAT.
	Options []string `hcl:"options,optional"`
	// Exclusive removes all other keys from the file.
	Exclusive bool `hcl:"exclusive,optional"`
	// Path is the absolute path of the file. Default .ssh/authorized_keys in the
	// user's home.
	Path string `hcl:"path,optional" path:"clean"`
	module.Presence
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "authorized_key", Marks: []module.MarkKind{
		lines.Marks(),
	}})
}

func (t *Task) Validate() error {
	keys, err := parseKeys(t.Key)
	switch {
	case err != nil:
		return err
	case len(keys) == 0:
		return errors.New("key is empty, want a public key such as that of an ssh_key task")
	case t.Exclusive && t.Absent():
		return errors.New("exclusive is for state = \"present\" only")
	}
	return t.checkOptions(keys[0])
}

// checkOptions parses the options together with a key.
func (t *Task) checkOptions(k key) error {
	back, ok := parseLine(t.line(k))
	if !ok || len(back.options) != len(t.Options) || strings.ContainsAny(strings.Join(t.Options, ""), "\r\n") {
		return fmt.Errorf("options are %q, want each as sshd reads it, such as \"restrict\" or \"from=\\\"192.0.2.0/24\\\"\"", t.Options)
	}
	return nil
}

func (t *Task) line(k key) string {
	text := k.text
	if len(t.Options) > 0 {
		text = strings.Join(t.Options, ",") + " " + text
	}
	return text
}

// home returns the user and the path of the file.
func (t *Task) home(ctx context.Context, h module.Host) (account.User, string, error) {
	all, err := account.Read(ctx, h)
	if err != nil {
		return account.User{}, "", err
	}
	user, there := all.User(t.User)
	if !there || t.Path != "" {
		return user, t.Path, nil
	}
	if user.Home == noHome {
		return user, "", fmt.Errorf("the user %s has no home (%s): want path, the file that sshd reads for this user", t.User, noHome)
	}
	return user, path.Join(user.Home, ".ssh", "authorized_keys"), nil
}

// noHome is the home of users without one in distributions, where it must not exist.
const noHome = "/nonexistent"

type Outputs struct {
	Path string `cty:"path"` // the file; "" without path while there is no such user
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	_, file, err := t.home(ctx, h)
	return Outputs{Path: file}, err
}

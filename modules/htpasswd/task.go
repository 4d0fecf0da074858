// Package htpasswd is the module htpasswd: a user in a password file for HTTP
// basic authentication, with bcrypt.
package htpasswd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"golang.org/x/crypto/bcrypt"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
)

// longest is the most bytes of a password that bcrypt reads.
const longest = 72

// Task is one user of a password file; other users in it remain. The hash is
// salted, so an existing hash that fits the password is kept. Edits at the same
// time lose no user; for that the host needs flock of util-linux.
//
// Errors:
//   - password is empty or longer than 72 bytes, the limit of bcrypt
//   - user contains a colon
type Task struct {
	// Path is the password file on the host.
	Path string `hcl:"path" path:"absolute"`
	// User is the user's name.
	User string `hcl:"user"`
	// Password is the user's password, at most 72 bytes.
	Password secret.Value `hcl:"password,optional" nonempty:"expected one"`
	// Cost is the work to check the password, 4 to 31: each step doubles it. A server does
	// this work for each request. Passwords that people choose need it; a random one of 20
	// or more characters is as safe with 4.
	Cost int `hcl:"cost,optional" default:"10"`
	// Mode is the mode of a new file.
	Mode string `hcl:"mode,optional" default:"0600"`
	module.Presence
}

func Kind() module.Kind {
	return module.Of[Task](module.Kind{Name: "htpasswd"})
}

func (t *Task) Validate() error {
	switch {
	case t.User == "" || strings.ContainsAny(t.User, ":\r\n"):
		return fmt.Errorf("user is %q, expected a name without colon", t.User)
	case len(t.Password) > longest:
		return fmt.Errorf("password has %d bytes, expected at most %d", len(t.Password), longest)
	}
	if t.Cost < bcrypt.MinCost || t.Cost > bcrypt.MaxCost {
		return fmt.Errorf("cost is %d, expected %d to %d", t.Cost, bcrypt.MinCost, bcrypt.MaxCost)
	}
	_, err := t.mode()
	return err
}

func (t *Task) mode() (fs.FileMode, error) {
	mode, err := strconv.ParseUint(t.Mode, 8, 9)
	if err != nil {
		return 0, fmt.Errorf("mode is %q, expected permission bits such as \"0600\"", t.Mode)
	}
	return fs.FileMode(mode), nil
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	text, _, err := hostfile.Read(ctx, h, t.Path)
	if err != nil {
		return nil, err
	}
	hash, known := lookup(text, t.User)
	if t.Absent() {
		if !known {
			return nil, nil
		}
		return module.OneStep(fmt.Sprintf("remove user %s from %s", t.User, t.Path), t.remove), nil
	}
	what := fmt.Sprintf("add user %s to %s", t.User, t.Path)
	if known {
		what = fmt.Sprintf("set the password of user %s in %s", t.User, t.Path)
		if bcrypt.CompareHashAndPassword([]byte(hash), []byte(t.Password.Reveal())) == nil {
			cost, err := bcrypt.Cost([]byte(hash))
			if err != nil || cost == t.Cost {
				return nil, err
			}
			what = fmt.Sprintf("hash the password of user %s in %s with cost %d instead of %d", t.User, t.Path, t.Cost, cost)
		}
	}
	return module.OneStep(what, t.set), nil
}

// set writes the user's line with a new salt.
func (t *Task) set(ctx context.Context, h module.Host) error {
	if err := hostfile.Parents(ctx, h, t.Path); err != nil {
		return err
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(t.Password.Reveal()), t.Cost)
	if err != nil {
		return fmt.Errorf("hash the password: %w", err)
	}
	// Apache's own prefix for the same algorithm; Go reads both.
	line := t.User + ":" + strings.Replace(string(hash), "$2a$", "$2y$", 1) + "\n"
	return t.edit(ctx, h, func(before *string) (*string, error) {
		after := without(before, t.User) + line
		if before != nil {
			return &after, nil
		}
		return &after, h.Own(ctx, t.mark())
	})
}

func (t *Task) mark() module.Mark { return module.Mark{Kind: hostfile.FileKind, ID: t.Path} }

// remove removes the user's line, and the file if that was its last line
// and the file is the owner's.
func (t *Task) remove(ctx context.Context, h module.Host) error {
	gone := false
	err := t.edit(ctx, h, func(before *string) (*string, error) {
		rest := without(before, t.User)
		gone = before != nil && rest == "" && ownership.Free(ctx, h, t.Path, "") == nil
		if before == nil || gone {
			return nil, nil
		}
		return &rest, nil
	})
	if err != nil || !gone {
		return err
	}
	return h.Disown(ctx, t.mark())
}

// edit changes the current file, nil without one, and repeats the change if somebody else
// changed the file meanwhile, so that no user is lost.
func (t *Task) edit(ctx context.Context, h module.Host, change func(before *string) (*string, error)) error {
	return hostfile.Retry(t.Path, func() error {
		before, attr, err := t.read(ctx, h)
		if err != nil {
			return err
		}
		after, err := change(before)
		if err != nil || before == nil && after == nil {
			return err
		}
		if err := hostfile.Swap(ctx, h, t.Path, before, after, attr); err != nil {
			return fmt.Errorf("write %s: %w", t.Path, err)
		}
		return nil
	})
}

// read returns the file, and the attributes to keep, or of a new one.
func (t *Task) read(ctx context.Context, h module.Host) (*string, module.Attr, error) {
	info, err := h.Files().Stat(ctx, t.Path)
	if errors.Is(err, fs.ErrNotExist) {
		mode, err := t.mode()
		return nil, module.Attr{Mode: mode}, err
	}
	if err != nil {
		return nil, module.Attr{}, err
	}
	attr := module.Attr{Mode: info.Mode.Perm(), Owner: fmt.Sprint(info.UID), Group: fmt.Sprint(info.GID)}
	text, err := hostfile.Text(ctx, h, t.Path)
	return text, attr, err
}

func lookup(text, user string) (string, bool) {
	for line := range strings.Lines(text) {
		if hash, found := strings.CutPrefix(strings.TrimRight(line, "\r\n"), user+":"); found {
			return hash, true
		}
	}
	return "", false
}

// without returns the text without the user's lines; every line of it ends.
func without(text *string, user string) string {
	var b strings.Builder
	if text == nil {
		return ""
	}
	for line := range strings.Lines(*text) {
		if !strings.HasPrefix(line, user+":") {
			b.WriteString(strings.TrimRight(line, "\r\n") + "\n")
		}
	}
	return b.String()
}

// Package getent is the module "getent": entries of a host's databases of names.
package getent

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"kinit/engine/module"
)

// Task reads users, groups and other names that the host knows, and changes nothing.
//
// They come from /etc/passwd and the like, and from what else the host is set up for, such as
// LDAP or DNS (/etc/nsswitch.conf). An unknown key is no error.
//
// Errors:
//   - getent is not installed
//   - the database cannot be listed as a whole, and key is missing
type Task struct {
	// Database is what to look in: "passwd" is users, and "hosts" host names.
	Database string `hcl:"database" enum:"passwd,group,hosts,services,protocols,networks,netgroup,ethers"`
	// Key is the name, or the number, to look for. Default: all entries.
	Key string `hcl:"key,optional"`
	module.Facts
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "getent", Reads: true})
}

func (t *Task) Validate() error {
	if strings.HasPrefix(t.Key, "-") || strings.ContainsAny(t.Key, " \t\n") {
		return fmt.Errorf("key is %q, want one name or number", t.Key)
	}
	return nil
}

// User is an entry of passwd.
type User struct {
	UID     int64  `cty:"uid"`
	GID     int64  `cty:"gid"`
	Comment string `cty:"comment"`
	Home    string `cty:"home"`
	Shell   string `cty:"shell"`
}

// Group is an entry of group.
type Group struct {
	GID     int64    `cty:"gid"`
	Members []string `cty:"members"`
}

type Outputs struct {
	Exists  bool                `cty:"exists"`  // whether there is an entry
	Entries map[string][]string `cty:"entries"` // the other fields of each entry, by its first field
	Users   map[string]User     `cty:"users"`   // of passwd: the users by name, else empty
	Groups  map[string]Group    `cty:"groups"`  // of group: the groups by name, else empty
}

// The exit codes of getent; man 1 getent, EXIT STATUS.
const (
	notFound  = 2
	noListing = 3
)

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	argv := []string{"getent", t.Database}
	if t.Key != "" {
		argv = append(argv, t.Key)
	}
	out, err := h.Run(ctx, module.Command{Argv: argv})
	switch {
	case module.Exited(err, notFound):
	case module.Exited(err, noListing):
		return Outputs{}, fmt.Errorf("the host cannot list all of %s, want a key: %w", t.Database, err)
	case module.Exited(err, 127):
		return Outputs{}, fmt.Errorf("getent is not installed, it is in the package libc-bin, glibc-common or musl-utils: %w", err)
	case err != nil:
		return Outputs{}, err
	}
	return t.parse(out.Stdout), nil
}

// parse reads lines of fields, which colons separate in passwd and group, and spaces elsewhere.
func (t *Task) parse(text string) Outputs {
	out := Outputs{Entries: map[string][]string{}, Users: map[string]User{}, Groups: map[string]Group{}}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		fields := strings.Fields(line)
		if t.Database == "passwd" || t.Database == "group" {
			fields = strings.Split(line, ":")
		}
		if len(fields) == 0 || fields[0] == "" {
			continue
		}
		out.Exists = true
		out.Entries[fields[0]] = append(out.Entries[fields[0]], fields[1:]...)
		switch {
		case t.Database == "passwd" && len(fields) >= 7:
			out.Users[fields[0]] = User{UID: number(fields[2]), GID: number(fields[3]), Comment: fields[4], Home: fields[5], Shell: fields[6]}
		case t.Database == "group" && len(fields) >= 4:
			members := strings.FieldsFunc(fields[3], func(c rune) bool { return c == ',' })
			out.Groups[fields[0]] = Group{GID: number(fields[2]), Members: members}
		}
	}
	return out
}

func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return -1 // no number is there
	}
	return n
}

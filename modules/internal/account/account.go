// Package account reads the users and groups in a host's files, and
// removes those that kinit made.
//
// It does not see users of a directory service: kinit makes local ones.
package account

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/hostfile"
)

// The kinds of the marks of accounts.
const (
	UserMark       = "user"       // the ID is the name
	GroupMark      = "group"      // the ID is the name
	UserGroupMark  = "user_group" // a group that useradd makes with a user of its name; the ID is the name
	MembershipMark = "membership" // the ID is the user and the group with a space between
)

// LargestID is the largest number of a user or group. The two above it mean "none"
// to the kernel and to NFS.
const LargestID = 1<<32 - 3

// User is a line of /etc/passwd; man 5 passwd.
type User struct {
	Name, Comment, Home, Shell string
	UID, GID                   int
}

// Group is a line of /etc/group; man 5 group.
type Group struct {
	Name    string
	GID     int
	Members []string // users that have it besides their primary group
}

// Accounts are the users and groups of a host.
type Accounts struct {
	Users  []User
	Groups []Group
}

// Read reads both files. It ignores lines that are not accounts, such as those of NIS.
func Read(ctx context.Context, h module.Host) (Accounts, error) {
	passwd, _, err := hostfile.Read(ctx, h, "/etc/passwd")
	if err != nil {
		return Accounts{}, err
	}
	groups, _, err := hostfile.Read(ctx, h, "/etc/group")
	return Accounts{Users: users(passwd), Groups: parseGroups(groups)}, err
}

// rows returns the fields of the lines that have a number of them.
func rows(text string, count int) [][]string {
	var all [][]string
	for line := range strings.Lines(text) {
		if fields := strings.Split(strings.TrimSuffix(line, "\n"), ":"); len(fields) == count {
			all = append(all, fields)
		}
	}
	return all
}

func users(text string) []User {
	var all []User
	for _, f := range rows(text, 7) {
		uid, errUID := strconv.Atoi(f[2])
		gid, errGID := strconv.Atoi(f[3])
		if errUID == nil && errGID == nil {
			all = append(all, User{Name: f[0], UID: uid, GID: gid, Comment: f[4], Home: f[5], Shell: f[6]})
		}
	}
	return all
}

func parseGroups(text string) []Group {
	var all []Group
	for _, f := range rows(text, 4) {
		if gid, err := strconv.Atoi(f[2]); err == nil {
			members := strings.FieldsFunc(f[3], func(r rune) bool { return r == ',' })
			all = append(all, Group{Name: f[0], GID: gid, Members: members})
		}
	}
	return all
}

// first returns the first element for which is holds.
func first[T any](all []T, is func(T) bool) (one T, found bool) {
	if i := slices.IndexFunc(all, is); i >= 0 {
		return all[i], true
	}
	return one, false
}

// User returns a user by name.
func (a Accounts) User(name string) (User, bool) {
	return first(a.Users, func(u User) bool { return u.Name == name })
}

// Group returns a group by name, or by number.
func (a Accounts) Group(name string) (Group, bool) {
	group, there := first(a.Groups, func(g Group) bool { return g.Name == name })
	if id, err := strconv.Atoi(name); !there && err == nil {
		return first(a.Groups, func(g Group) bool { return g.GID == id })
	}
	return group, there
}

// GroupsOf lists a user's groups besides the primary one, sorted.
func (a Accounts) GroupsOf(user string) []string {
	var names []string
	for _, g := range a.Groups {
		if slices.Contains(g.Members, user) {
			names = append(names, g.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Hash returns a user's password hash in /etc/shadow, which only root can read, and
// registers it as a secret of the run. "" means that the user has no hash.
func Hash(ctx context.Context, h module.Host, user string) (secret.Value, error) {
	text, _, err := hostfile.Read(ctx, h, "/etc/shadow")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(text) {
		rest, found := strings.CutPrefix(line, user+":")
		if !found {
			continue
		}
		hash, _, _ := strings.Cut(rest, ":")
		h.AddSecret(secret.Value(hash))
		return secret.Value(hash), nil
	}
	return "", nil
}

// CheckName returns the mistake in the name of a user or group that no program for accounts takes. The host decides
// about capitals, dots and the length, as distributions and directories differ.
func CheckName(argument, name string) error {
	wrong := func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`:,/\"'*%`, r) }
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name[:1], "-+~") || strings.ContainsFunc(name, wrong) {
		return fmt.Errorf("%s is %q, want a name such as \"deploy\"", argument, name)
	}
	return nil
}

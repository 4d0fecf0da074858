package user

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/account"
	"kinit/modules/internal/ownership"
)

// state is the current state of the user.
type state struct {
	there  bool
	user   account.User
	group  account.Group // the one that t.Group names
	groups []string      // further ones, sorted
	named  bool          // there is a group with the user's name
	hash   secret.Value  // read only if one is requested
}

func (t *Task) read(ctx context.Context, h module.Host) (state, error) {
	var s state
	all, err := account.Read(ctx, h)
	if err != nil {
		return s, err
	}
	s.user, s.there = all.User(t.Name)
	s.group, _ = all.Group(t.Group)
	s.groups = all.GroupsOf(t.Name)
	_, s.named = all.Group(t.Name)
	if t.PasswordHash != "" && s.there {
		s.hash, err = account.Hash(ctx, h, t.Name)
	}
	return s, err
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	h.AddSecret(t.PasswordHash)
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	d := t.decide(s)
	if d.foreign && s.there {
		if err := ownership.Free(ctx, h, t.Name, "choose another name, or ask for nothing but further groups", account.UserMark); err != nil {
			return nil, fmt.Errorf("user %w", err)
		}
	}
	var steps []module.Step
	if len(d.texts) > 0 {
		steps = append(steps, module.NewStep(strings.Join(d.texts, ", "), t.do))
	}
	if d.password {
		steps = append(steps, module.NewStep("set the password hash of user "+t.Name, t.setPassword))
	}
	return steps, nil
}

// decision describes a change.
type decision struct {
	texts    []string // for the step; empty if the program has nothing to do
	argv     []string // of the program
	join     []string // groups that the user joins
	group    bool     // the program makes a group with the user's name
	password bool
	foreign  bool // a change that another owner's user must not get
}

func (t *Task) decide(s state) decision {
	switch {
	case t.Absent() && !s.there:
		return decision{}
	case t.Absent():
		return decision{texts: []string{"remove user " + t.Name + map[bool]string{true: " with its home"}[t.RemoveHome]}, foreign: true}
	case !s.there:
		return t.decideNew(s)
	}
	d := decision{argv: []string{"usermod"}, password: t.PasswordHash != "" && t.PasswordHash != s.hash}
	t.compare(s, &d)
	d.foreign = len(d.texts) > 0 || d.password
	t.compareGroups(s, &d)
	if len(d.texts) > 0 {
		d.texts[0] = "change user " + t.Name + ": " + d.texts[0]
	}
	return d
}

// change adds a property if it differs.
func (d *decision) change(flag, name, have, want string) {
	d.texts = append(d.texts, fmt.Sprintf("%s %s to %s", name, have, want))
	d.argv = append(d.argv, flag, want)
}

func (t *Task) compare(s state, d *decision) {
	if t.UID != nil && *t.UID != s.user.UID {
		d.change("--uid", "uid", strconv.Itoa(s.user.UID), strconv.Itoa(*t.UID))
	}
	if t.Group != "" && (s.group.Name == "" || s.group.GID != s.user.GID) {
		d.change("--gid", "group", strconv.Itoa(s.user.GID), t.Group)
	}
	if t.Comment != nil && *t.Comment != s.user.Comment {
		d.texts = append(d.texts, fmt.Sprintf("comment %q to %q", s.user.Comment, *t.Comment))
		d.argv = append(d.argv, "--comment", *t.Comment)
	}
	if t.Home != "" && t.Home != s.user.Home {
		d.change("--home", "home", s.user.Home, t.Home)
	}
	if t.Shell != "" && t.Shell != s.user.Shell {
		d.change("--shell", "shell", s.user.Shell, t.Shell)
	}
}

// compareGroups compares the further groups. For another owner's user, only joining is
// harmless.
func (t *Task) compareGroups(s state, d *decision) {
	var leave []string
	for _, group := range slices.Compact(slices.Sorted(slices.Values(t.Groups))) {
		if !slices.Contains(s.groups, group) {
			d.join = append(d.join, group)
			d.texts = append(d.texts, "join "+group)
		}
	}
	for _, group := range s.groups {
		if !t.Append && !slices.Contains(t.Groups, group) {
			leave = append(leave, group)
			d.texts = append(d.texts, "leave "+group)
		}
	}
	switch {
	case len(leave) > 0:
		d.foreign = true
		d.argv = append(d.argv, "--groups", strings.Join(t.Groups, ","))
	case len(d.join) > 0:
		d.argv = append(d.argv, "--append", "--groups", strings.Join(d.join, ","))
	}
}

// decideNew returns the call of useradd. It makes a private group on every distribution,
// independent of the defaults.
func (t *Task) decideNew(s state) decision {
	d := decision{texts: []string{"add user " + t.Name}, argv: []string{"useradd"}, password: t.PasswordHash != ""}
	add := func(flag, name, value string) {
		if value != "" {
			d.texts = append(d.texts, name+" "+value)
			d.argv = append(d.argv, flag, value)
		}
	}
	if t.System {
		d.argv = append(d.argv, "--system")
	}
	if t.UID != nil {
		add("--uid", "uid", strconv.Itoa(*t.UID))
	}
	add("--gid", "group", t.Group)
	switch {
	case t.Group == "" && s.named:
		d.argv = append(d.argv, "--gid", t.Name)
	case t.Group == "":
		d.group = true
		d.argv = append(d.argv, "--user-group")
	}
	add("--groups", "groups", strings.Join(t.Groups, ","))
	if t.Comment != nil {
		d.argv = append(d.argv, "--comment", *t.Comment)
	}
	add("--home-dir", "home", t.Home)
	add("--shell", "shell", t.Shell)
	d.argv = append(d.argv, map[bool]string{true: "--create-home", false: "--no-create-home"}[t.createsHome()])
	return d
}

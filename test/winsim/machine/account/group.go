package account

import (
	"slices"
	"strings"
)

// Groups lists the groups by name.
func (b *Book) Groups() []Group {
	b.mu.Lock()
	defer b.mu.Unlock()
	groups := slices.Clone(b.state.Groups)
	slices.SortFunc(groups, func(x, y Group) int { return strings.Compare(strings.ToUpper(x.Name), strings.ToUpper(y.Name)) })
	return groups
}

// Group returns a group by name or SID.
func (b *Book) Group(name string) (Group, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := b.group(name); i >= 0 {
		g := b.state.Groups[i]
		g.Members = slices.Clone(g.Members)
		return g, nil
	}
	return Group{}, ErrGroupNotFound
}

func (b *Book) group(name string) int {
	return slices.IndexFunc(b.state.Groups, func(g Group) bool {
		return strings.EqualFold(g.Name, name) || g.SID == name
	})
}

// AddGroup makes a group without members.
func (b *Book) AddGroup(name, description string) (Group, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case !validName(name, 256):
		return Group{}, ErrName
	case b.group(name) >= 0 || b.user(name) >= 0:
		return Group{}, ErrGroupExists
	}
	g := Group{Name: name, Description: description, SID: b.nextSID()}
	b.state.Groups = append(b.state.Groups, g)
	return g, b.store.Save(&b.state)
}

// RemoveGroup deletes a group. The built-in ones stay.
func (b *Book) RemoveGroup(name string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := b.group(name)
	if i < 0 {
		return ErrGroupNotFound
	}
	if strings.HasPrefix(b.state.Groups[i].SID, "S-1-5-32-") {
		return ErrBuiltIn
	}
	b.state.Groups = slices.Delete(b.state.Groups, i, i+1)
	return b.store.Save(&b.state)
}

// AddMember puts a user, by name or SID, into a group.
func (b *Book) AddMember(group, member string) error {
	return b.changeMembers(group, member, func(members []string, sid string) ([]string, error) {
		if slices.Contains(members, sid) {
			return nil, ErrMemberExists
		}
		return append(members, sid), nil
	})
}

// RemoveMember takes a user out of a group.
func (b *Book) RemoveMember(group, member string) error {
	return b.changeMembers(group, member, func(members []string, sid string) ([]string, error) {
		i := slices.Index(members, sid)
		if i < 0 {
			return nil, ErrMemberNotFound
		}
		return slices.Delete(slices.Clone(members), i, i+1), nil
	})
}

func (b *Book) changeMembers(group, member string, change func(members []string, sid string) ([]string, error)) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	g := b.group(group)
	if g < 0 {
		return ErrGroupNotFound
	}
	sid := b.lookup(member)
	if sid == "" {
		return ErrPrincipal
	}
	members, err := change(b.state.Groups[g].Members, sid)
	if err != nil {
		return err
	}
	b.state.Groups[g].Members = members
	return b.store.Save(&b.state)
}

// IsMember reports whether a user is in a group, both by name or SID.
func (b *Book) IsMember(group, user string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	g, u := b.group(group), b.user(user)
	return g >= 0 && u >= 0 && slices.Contains(b.state.Groups[g].Members, b.state.Users[u].SID)
}

// SID returns the SID of a user, a group or a well-known identity by its name, with or
// without what stands before it, or "".
func (b *Book) SID(name string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lookup(name)
}

func (b *Book) lookup(name string) string {
	if strings.HasPrefix(strings.ToUpper(name), "S-1-") {
		return strings.ToUpper(name)
	}
	for sid, full := range wellKnown(b.language) {
		_, short, found := strings.Cut(full, `\`)
		if strings.EqualFold(full, name) || found && strings.EqualFold(short, name) {
			return sid
		}
	}
	if _, after, found := strings.Cut(name, `\`); found {
		name = after
	}
	if i := b.user(name); i >= 0 {
		return b.state.Users[i].SID
	}
	if i := b.group(name); i >= 0 {
		return b.state.Groups[i].SID
	}
	return ""
}

// Name returns the full name of a SID, as Windows translates it: with the computer's
// name, or BUILTIN or NT AUTHORITY in the machine's language. An unknown SID is its own
// name.
func (b *Book) Name(sid, computer string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if full := wellKnown(b.language)[sid]; full != "" {
		return full
	}
	if i := b.user(sid); i >= 0 && b.state.Users[i].SID == sid {
		return strings.ToUpper(computer) + `\` + b.state.Users[i].Name
	}
	if i := b.group(sid); i >= 0 && b.state.Groups[i].SID == sid {
		if strings.HasPrefix(sid, "S-1-5-32-") {
			return builtin(b.language).authority + `\` + b.state.Groups[i].Name
		}
		return strings.ToUpper(computer) + `\` + b.state.Groups[i].Name
	}
	return sid
}

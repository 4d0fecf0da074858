package ovn

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The keys in external_ids with the records of a setting which belongs to the host
// and not to one cluster: its users, and its former value.
const (
	usersPrefix = "kinit-users-"
	priorPrefix = "kinit-prior-"
)

// Setting is one value of a host's database, such as a key of Open_vSwitch's
// external_ids. An empty value means that it is not set.
type Setting struct {
	Name string // for people and for the records, such as ovn-remote
	Have string
	Want string
}

// Settle returns the changes for a setting that a cluster wants: the keys to record,
// and whether the value itself changes. A value that was right
// before kinit is not claimed. A value that other clusters use is not
// changed.
func Settle(books map[string]string, s Setting, owner string) (entries map[string]string, change bool, err error) {
	users := users(books, s.Name)
	others := without(users, owner)
	if s.Have == s.Want {
		if len(others) == 0 || owner == "" || len(others) < len(users) {
			return nil, false, nil
		}
		return map[string]string{usersPrefix + s.Name: join(append(users, owner))}, false, nil
	}
	if len(others) > 0 {
		return nil, false, fmt.Errorf("%s is %q for cluster %s and cannot be %q as well; give both clusters the same value",
			s.Name, s.Have, Names(others, owner), s.Want)
	}
	if owner == "" {
		return nil, true, nil
	}
	entries = map[string]string{usersPrefix + s.Name: owner}
	if len(users) == 0 && s.Have != "" {
		entries[priorPrefix+s.Name] = s.Have
	}
	return entries, true, nil
}

// Release is the change when a cluster no longer needs a setting.
type Release struct {
	Name    string
	Restore bool              // the last user has gone: the value is restored to Prior
	Prior   string            // empty means that it was not set
	Set     map[string]string // keys of the records to set
	Unset   []string          // keys of the records to remove
}

// Releases lists the recorded settings that a cluster gives up, by name.
func Releases(books map[string]string, owner string) []Release {
	var all []Release
	for key := range books {
		name, ok := strings.CutPrefix(key, usersPrefix)
		if !ok || owner == "" || !slices.Contains(users(books, name), owner) {
			continue
		}
		all = append(all, release(books, name, owner))
	}
	slices.SortFunc(all, func(a, b Release) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func release(books map[string]string, name, owner string) Release {
	left := without(users(books, name), owner)
	if len(left) > 0 {
		return Release{Name: name, Set: map[string]string{usersPrefix + name: join(left)}}
	}
	return Release{
		Name: name, Restore: true, Prior: books[priorPrefix+name],
		Unset: []string{usersPrefix + name, priorPrefix + name},
	}
}

// Record changes the records as the release asks.
func (r Release) Record(books map[string]string) {
	maps.Copy(books, r.Set)
	for _, key := range r.Unset {
		delete(books, key)
	}
}

// users lists the clusters that use a setting.
func users(books map[string]string, name string) []string {
	if books[usersPrefix+name] == "" {
		return nil
	}
	return strings.Split(books[usersPrefix+name], ",")
}

// without returns the clusters but one.
func without(users []string, owner string) []string {
	return slices.DeleteFunc(slices.Clone(users), func(u string) bool { return u == owner })
}

func join(users []string) string {
	slices.Sort(users)
	return strings.Join(users, ",")
}

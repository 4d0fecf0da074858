package ovn

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"kinit/engine/lists"
	"kinit/modules/internal/ownership"
)

// The keys in external_ids that record the owner of a row. Owners are signatures of package ownership.
const (
	// OwnerKey has the one cluster that a row belongs to.
	OwnerKey = "kinit-owner"
	// sharedPrefix before a cluster marks a row that several can share; the
	// row is removed with the last of them.
	sharedPrefix = "kinit-owner-"
	// NameKey has the playbook's name of a row without a name column.
	NameKey = "kinit-name"
)

// Owned returns external_ids that mark a row as the owner's, with further keys.
// Without an owner there is no mark.
func Owned(owner string, more map[string]string) map[string]string {
	return withMark(more, owner, OwnerKey, owner)
}

// withMark returns a copy of external_ids, with a key unless there is no owner.
func withMark(more map[string]string, owner, key, value string) map[string]string {
	ids := Merged(more, nil)
	if owner != "" {
		ids[key] = value
	}
	return ids
}

// Merged returns the keys of both maps, with the values of b where both have one.
func Merged(a, b map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}

// IsOwned reports whether a row is the owner's. Without an owner, unmarked rows are.
func IsOwned(ids map[string]string, owner string) bool {
	return ids[OwnerKey] == owner && len(Sharers(ids)) == 0
}

// SharedKey returns the key that records that a cluster uses a shared row.
func SharedKey(owner string) string { return sharedPrefix + owner }

// Shared returns external_ids of a row whose first sharer is the owner.
func Shared(owner string, more map[string]string) map[string]string {
	return withMark(more, owner, SharedKey(owner), "true")
}

// Sharers lists the clusters that use a shared row, sorted.
func Sharers(ids map[string]string) []string {
	var owners []string
	for key := range ids {
		if owner, ok := strings.CutPrefix(key, sharedPrefix); ok {
			owners = append(owners, owner)
		}
	}
	slices.Sort(owners)
	return owners
}

// Shares reports whether the cluster uses the shared row.
func Shares(ids map[string]string, owner string) bool {
	return owner != "" && slices.Contains(Sharers(ids), owner)
}

// Names returns owners for messages that also name one of them.
func Names(owners []string, beside string) string {
	return strings.Join(lists.Map(owners, func(owner string) string { return ownership.Short(owner, beside) }), ", ")
}

// Foreign returns the error for an existing object of another owner. remedy is
// the command that removes it by hand.
func Foreign(thing string, ids map[string]string, owner, remedy string) error {
	return fmt.Errorf("%s exists and is not owned by %s (%s); use another name, or remove it with %q if nothing needs it",
		thing, Who(owner), holder(ids, owner), remedy)
}

// Blocked returns why a thing with ports of other owners must remain, nil without such ports. remedy
// is the command that removes them by hand.
func Blocked(thing, owner string, foreign []string, remedy string) error {
	if len(foreign) == 0 {
		return nil
	}
	slices.Sort(foreign)
	return fmt.Errorf("%s has ports that are not owned by %s: %s; remove them with %q if nothing needs them",
		thing, Who(owner), strings.Join(foreign, ", "), remedy)
}

// Who returns an owner for messages.
func Who(owner string) string {
	if owner == "" {
		return "this playbook"
	}
	return "cluster " + ownership.Name(owner)
}

func holder(ids map[string]string, beside string) string {
	if owner := ids[OwnerKey]; owner != "" {
		return "it belongs to " + ownership.Who(owner, beside)
	}
	if owners := Sharers(ids); len(owners) > 0 {
		return "it is shared by cluster " + Names(owners, beside)
	}
	return "it has no mark of kinit"
}

// Standing is a cluster's relation to a row that several can share.
type Standing int

// The relations to a row.
const (
	Unmarked Standing = iota // it existed before kinit
	Sole                     // only this cluster has marked it
	Joined                   // this cluster and others have marked it
	Others                   // only others have marked it
)

// StandingOf returns a cluster's relation to a row. Without an owner, an unmarked
// row counts as its own; so does a row that only the owner has marked.
func StandingOf(ids map[string]string, owner string) Standing {
	sharers := Sharers(ids)
	mine := Shares(ids, owner)
	switch {
	case ids[OwnerKey] != "" && ids[OwnerKey] != owner:
		return Others
	case len(sharers) == 0 && ids[OwnerKey] == owner, mine && len(sharers) == 1:
		return Sole
	case len(sharers) == 0:
		return Unmarked
	case mine:
		return Joined
	}
	return Others
}

// Ours reports whether a row is the owner's, alone or with others.
func Ours(ids map[string]string, owner string) bool {
	stands := StandingOf(ids, owner)
	return stands == Sole || stands == Joined
}

// Share decides about an existing row that several clusters can use, with its external_ids.
// change makes it match the arguments. A matching row gets this cluster's mark too, or is used
// without changes if it has no mark; one that does not match is changed only if this cluster is
// its only owner.
func Share(thing string, row any, ids *map[string]string, owner string, change Change) (Change, error) {
	stands := StandingOf(*ids, owner)
	switch {
	case change.Empty() && stands == Others && owner != "":
		others := Names(Sharers(*ids), owner)
		join := SetKeys(row, ids, Shared(owner, nil))
		return Change{Text: fmt.Sprintf("share %s with cluster %s", thing, others), Edits: []Edit{join}}, nil
	case change.Empty():
		return Change{}, nil
	case stands == Sole:
		return change, nil
	case stands == Unmarked:
		return Change{}, fmt.Errorf("%s was there before kinit and differs; change the arguments, or the thing itself by hand\n%s", thing, change.Text)
	}
	return Change{}, fmt.Errorf("%s differs, and %s; give all the same arguments\n%s", thing, holder(*ids, owner), change.Text)
}

// Leave returns the edit that removes a cluster's mark from a row that others still share.
// last is true if no other shares it, so that the row must be removed.
func Leave(thing string, row any, ids *map[string]string, owner string) (change Change, last bool) {
	others := without(Sharers(*ids), owner)
	if len(others) == 0 {
		return Change{}, true
	}
	return Change{
		Text:  fmt.Sprintf("leave %s to cluster %s", thing, Names(others, owner)),
		Edits: []Edit{UnsetKeys(row, ids, SharedKey(owner))},
	}, false
}

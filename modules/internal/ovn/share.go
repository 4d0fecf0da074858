package ovn

import "fmt"

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

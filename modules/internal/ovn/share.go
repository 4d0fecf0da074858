package ovn

import "fmt"

// Standing is how a cluster stands to a row that several may share.
type Standing int

// The ways to stand to a row.
const (
	Unmarked Standing = iota // it was there before kinit
	Sole                     // only this cluster has a mark on it
	Joined                   // this cluster and others have one
	Others                   // only others have one
)

// StandingOf tells how a cluster stands to a row. Without an owner, an unmarked
// row is as good as its own; so is a row of the owner's alone.
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

// Ours tells whether a row is the owner's, alone or with others.
func Ours(ids map[string]string, owner string) bool {
	stands := StandingOf(ids, owner)
	return stands == Sole || stands == Joined
}

// Share decides for a row that is there and that several clusters may use. change
// is what would make it fit the arguments, join the edit that adds this cluster's
// mark. A row that fits is joined, or used as it is when it has no mark; one that
// does not fit is changed only by the one cluster that has it.
func Share(thing string, ids map[string]string, owner string, change Change, join Edit) (Change, error) {
	stands := StandingOf(ids, owner)
	switch {
	case change.Empty() && stands == Others && owner != "":
		others := Names(Sharers(ids), owner)
		return Change{Text: fmt.Sprintf("share %s with cluster %s", thing, others), Edits: []Edit{join}}, nil
	case change.Empty():
		return Change{}, nil
	case stands == Sole:
		return change, nil
	case stands == Unmarked:
		return Change{}, fmt.Errorf("%s was there before kinit and differs; change the arguments, or the thing itself by hand\n%s", thing, change.Text)
	}
	return Change{}, fmt.Errorf("%s differs, and %s; give all the same arguments\n%s", thing, holder(ids, owner), change.Text)
}

// Leave returns what takes a cluster's mark off a row that others share still.
// last tells that no other does, so that the row is to go.
func Leave(thing string, row any, ids *map[string]string, owner string) (change Change, last bool) {
	var others []string
	for _, sharer := range Sharers(*ids) {
		if sharer != owner {
			others = append(others, sharer)
		}
	}
	if len(others) == 0 {
		return Change{}, true
	}
	return Change{
		Text:  fmt.Sprintf("leave %s to cluster %s", thing, Names(others, owner)),
		Edits: []Edit{UnsetKeys(row, ids, SharedKey(owner))},
	}, false
}

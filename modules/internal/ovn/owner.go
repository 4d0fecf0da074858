package ovn

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"kinit/modules/internal/claim"
)

// The keys in external_ids that say whose a row is. Owners are signatures of package claim.
const (
	// OwnerKey has the one cluster that a row belongs to.
	OwnerKey = "kinit-owner"
	// sharedPrefix before a cluster marks a row that several may share; the
	// row goes with the last of them.
	sharedPrefix = "kinit-owner-"
	// NameKey has the name a playbook gave to a row that has none of its own.
	NameKey = "kinit-name"
)

// Owned returns external_ids that mark a row as the owner's, with further keys.
// Without an owner there is no mark.
func Owned(owner string, more map[string]string) map[string]string {
	ids := maps.Clone(more)
	if ids == nil {
		ids = map[string]string{}
	}
	if owner != "" {
		ids[OwnerKey] = owner
	}
	return ids
}

// IsOwned tells whether a row is the owner's. Without an owner, unmarked rows are.
func IsOwned(ids map[string]string, owner string) bool {
	return ids[OwnerKey] == owner && len(Sharers(ids)) == 0
}

// SharedKey is the key that says that a cluster uses a shared row.
func SharedKey(owner string) string { return sharedPrefix + owner }

// Shared returns external_ids of a row that the owner is the first to share.
func Shared(owner string, more map[string]string) map[string]string {
	ids := maps.Clone(more)
	if ids == nil {
		ids = map[string]string{}
	}
	if owner != "" {
		ids[SharedKey(owner)] = "true"
	}
	return ids
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

// Shares tells whether the cluster uses the shared row.
func Shares(ids map[string]string, owner string) bool {
	return owner != "" && slices.Contains(Sharers(ids), owner)
}

// Names are owners as messages call them beside one of them.
func Names(owners []string, beside string) string {
	var names []string
	for _, owner := range owners {
		names = append(names, claim.Short(owner, beside))
	}
	return strings.Join(names, ", ")
}

// Foreign is the error for a thing that is there and is somebody else's. remedy is
// the command that removes it by hand.
func Foreign(thing string, ids map[string]string, owner, remedy string) error {
	return fmt.Errorf("%s exists and is not owned by %s (%s); use another name, or remove it with %q if nobody needs it",
		thing, Who(owner), holder(ids, owner), remedy)
}

// Who is an owner as messages call it.
func Who(owner string) string {
	if owner == "" {
		return "this playbook"
	}
	return "cluster " + claim.Name(owner)
}

// holder says whose a row is.
func holder(ids map[string]string, beside string) string {
	if owner := ids[OwnerKey]; owner != "" {
		return "it belongs to " + claim.Who(owner, beside)
	}
	if owners := Sharers(ids); len(owners) > 0 {
		return "it is shared by cluster " + Names(owners, beside)
	}
	return "it has no mark of kinit"
}

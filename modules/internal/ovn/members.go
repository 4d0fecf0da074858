package ovn

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ovn-org/libovsdb/client"
	"github.com/ovn-org/libovsdb/ovsdb"

	"kinit/engine/module"
	"kinit/modules/internal/ovn/nb"
)

// membersPrefix before an owner is the key of the northbound database's external_ids that lists the
// hosts whose databases the owner wants to be members.
const membersPrefix = "kinit-members-"

// Wanted returns the hosts that an owner wants to have members, and those that others want.
func Wanted(global nb.Global, owner string) (own, others []string) {
	for _, key := range slices.Sorted(maps.Keys(global.ExternalIDs)) {
		name, ok := strings.CutPrefix(key, membersPrefix)
		if !ok {
			continue
		}
		hosts := strings.Split(global.ExternalIDs[key], ",")
		if name == owner {
			own = hosts
		} else {
			others = append(others, hosts...)
		}
	}
	return own, others
}

// Want returns the change that records which hosts an owner wants to have members. Without an owner nothing is recorded.
// It is made after MakeGlobal.
func Want(rows nb.Rows, owner string, hosts []string) Change {
	if owner == "" {
		return Change{}
	}
	global := rows.Global()
	hosts = slices.Sorted(slices.Values(hosts))
	if own, _ := Wanted(global, owner); slices.Equal(own, hosts) {
		return Change{}
	}
	return Change{
		Text:  "note the members of OVN's databases: " + strings.Join(hosts, ", "),
		Edits: []Edit{SetKeys(&global, &global.ExternalIDs, map[string]string{membersPrefix + owner: strings.Join(hosts, ",")})},
	}
}

// CheckChassis returns the mistake in an argument that lists the ids of chassis.
func CheckChassis(argument string, ids []string) error {
	for i, id := range ids {
		if id == "" || slices.Contains(ids[:i], id) {
			return fmt.Errorf("%s: %q is empty or there twice; two hosts may have the same system-id in /etc/openvswitch/system-id.conf", argument, id)
		}
	}
	return nil
}

// MakeGlobal makes the row of the northbound database that records are in, unless it is there. OVN's programs
// make it when they open a database first, which may be a moment after its server has a leader.
func MakeGlobal(ctx context.Context, h module.Host) error {
	return Do(ctx, h, Northbound(), func(rows nb.Rows, _ string) (Change, error) {
		if rows.Global().UUID != "" {
			return Change{}, nil
		}
		return Change{Edits: []Edit{func(client.API) ([]ovsdb.Operation, error) { return nil, nil }}}, nil // a commit makes the row
	})
}

// WantNone returns the change that removes an owner's record of members.
func WantNone(rows nb.Rows, owner string) Change {
	global := rows.Global()
	if own, _ := Wanted(global, owner); len(own) == 0 || owner == "" {
		return Change{}
	}
	return Change{
		Text:  "forget the members of OVN's databases",
		Edits: []Edit{UnsetKeys(&global, &global.ExternalIDs, membersPrefix+owner)},
	}
}

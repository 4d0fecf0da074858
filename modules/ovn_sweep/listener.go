package ovnsweep

import (
	"fmt"
	"strings"

	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/sb"
)

// dropListener removes the southbound database's listener. The listener must outlive the
// chassis: an ovn-controller that stops waits forever for the database that it was
// connected to.
func dropListener(planned sb.Rows, owner string) func(sb.Rows) (ovn.Change, error) {
	return func(rows sb.Rows) (ovn.Change, error) {
		change := ovn.DropListener(rows, owner)
		connected := alive(planned, rows)
		if change.Empty() || len(connected) == 0 || isShared(rows, owner) {
			return change, nil
		}
		change.Blocked = fmt.Errorf("chassis %s are still connected and could not leave without the listener; end ovn-controller there first, with \"systemctl stop ovn-controller\"",
			strings.Join(connected, ", "))
		return change, nil
	}
}

// alive returns the current chassis that had the newest change when the sweep was planned.
// The rows of a dead host are older.
func alive(planned, now sb.Rows) []string {
	if len(planned.Globals) == 0 {
		return nil
	}
	var names []string
	for _, c := range now.Chassis {
		for _, private := range now.ChassisPrivate {
			if private.Name == c.Name && private.NbCfg >= planned.Globals[0].NbCfg {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

// isShared reports whether another cluster needs a listener of this cluster.
func isShared(rows sb.Rows, owner string) bool {
	for _, c := range rows.Connections {
		if ovn.Shares(c.ExternalIDs, owner) && len(ovn.Sharers(c.ExternalIDs)) > 1 {
			return true
		}
	}
	return false
}

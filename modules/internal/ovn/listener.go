package ovn

import (
	"cmp"

	"kinit/modules/internal/ovn/sb"
)

// DropConnection returns the change that removes an address from the database's listeners, or the
// owner's share in it.
func DropConnection(global sb.Global, c sb.Connection, owner string) Change {
	thing := "listener " + c.Target
	if left, last := Leave(thing, &c, &c.ExternalIDs, owner); !last {
		return left
	}
	return Change{Text: "delete " + thing, Edits: []Edit{Unlink(&global, &global.Connections, c.UUID)}}
}

// DropListener returns the change that removes a cluster's listener settings from the
// southbound database, or its share in them.
func DropListener(rows sb.Rows, owner string) Change {
	var all Change
	global := rows.Global()
	if global.UUID == "" {
		return all
	}
	for _, c := range rows.Connections {
		if Ours(c.ExternalIDs, owner) {
			all = Both(all, DropConnection(global, c, owner))
		}
	}
	return Both(all, DropSSL(rows.SSLs, &global, &global.SSL, "the southbound database", owner))
}

// Both combines two changes.
func Both(a, b Change) Change {
	switch {
	case a.Empty():
		return b
	case b.Empty():
		return a
	}
	return Change{Text: a.Text + "\n" + b.Text, Edits: append(a.Edits, b.Edits...), Blocked: cmp.Or(a.Blocked, b.Blocked)}
}

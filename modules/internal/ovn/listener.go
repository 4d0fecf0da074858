package ovn

import (
	"cmp"

	"kinit/modules/internal/ovn/sb"
	"kinit/modules/internal/ovn/table"
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
	text, edits := a.Text+"\n"+b.Text, append(a.Edits, b.Edits...)
	return Change{Text: text, Edits: edits, Blocked: cmp.Or(a.Blocked, b.Blocked)}
}

// FindSSL returns the row with a database's TLS files, to which its first row refers.
func FindSSL(rows []table.SSL, uuid *string) (table.SSL, bool) {
	return table.First(rows, func(row table.SSL) bool { return uuid != nil && row.UUID == *uuid })
}

// WantSSL decides about the TLS files of a database, which of names. root is its first row, and
// field the column of it that refers to them. Without a private key no files are wanted.
func WantSSL(rows []table.SSL, root any, field **string, want table.SSL, of, owner string) (Change, error) {
	if want.PrivateKey == "" {
		return Change{}, nil
	}
	want.UUID, want.ExternalIDs = "ssl", Shared(owner, nil)
	have, found := FindSSL(rows, *field)
	if !found {
		*field = &want.UUID
		return Change{
			Text:  Lines("use TLS", Show(want, "private_key", "certificate", "ca_cert")),
			Edits: []Edit{Insert(&want), Update(root, field)},
		}, nil
	}
	change := Correct("change the files of TLS", have, want, "private_key", "certificate", "ca_cert")
	return Share("TLS of "+of, &have, &have.ExternalIDs, owner, change)
}

// DropSSL returns the change that removes a cluster's TLS files, or its share in them.
func DropSSL(rows []table.SSL, root any, field **string, of, owner string) Change {
	row, found := FindSSL(rows, *field)
	if !found || !Ours(row.ExternalIDs, owner) {
		return Change{}
	}
	if left, last := Leave("TLS of "+of, &row, &row.ExternalIDs, owner); !last {
		return left
	}
	*field = nil
	return Change{Text: "use no TLS in " + of, Edits: []Edit{Update(root, field)}}
}

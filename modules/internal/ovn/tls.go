package ovn

import "kinit/modules/internal/ovn/table"

// FindSSL returns the row with a database's TLS files, to which its first row refers.
func FindSSL(rows []table.SSL, uuid *string) (table.SSL, bool) {
	return table.First(rows, func(row table.SSL) bool { return uuid != nil && row.UUID == *uuid })
}

// WantSSL decides about the TLS files of a database, which of names. root is its first row, and
// field the column of it that refers to them.
func WantSSL(rows []table.SSL, root any, field **string, want table.SSL, of, owner string) (Change, error) {
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

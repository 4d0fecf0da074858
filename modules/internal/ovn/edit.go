package ovn

import (
	"maps"
	"slices"

	"github.com/ovn-org/libovsdb/client"
	"github.com/ovn-org/libovsdb/model"
	"github.com/ovn-org/libovsdb/ovsdb"
)

// Edit is one change of a transaction. Rows are pointers to the structs of nb,
// sb and vs; fields are pointers to fields of that row.
type Edit func(b client.API) ([]ovsdb.Operation, error)

// Insert makes a row. Its UUID is a name of letters and digits by which other
// edits of the transaction may refer to it, or empty.
func Insert(row any) Edit {
	return func(b client.API) ([]ovsdb.Operation, error) { return b.Create(row) }
}

// Update sets columns of the row with this UUID.
func Update(row any, fields ...any) Edit {
	return func(b client.API) ([]ovsdb.Operation, error) { return b.Where(row).Update(row, fields...) }
}

// Delete removes the row with this UUID.
func Delete(row any) Edit {
	return func(b client.API) ([]ovsdb.Operation, error) { return b.Where(row).Delete() }
}

// Link adds UUIDs to a set of the row, such as the ports of a switch. Others may
// do so at the same time.
func Link(row any, field *[]string, uuids ...string) Edit {
	return mutate(row, model.Mutation{Field: field, Mutator: ovsdb.MutateOperationInsert, Value: uuids})
}

// Unlink removes UUIDs from a set of the row; rows that nothing refers to any more
// are removed with it.
func Unlink(row any, field *[]string, uuids ...string) Edit {
	return mutate(row, model.Mutation{Field: field, Mutator: ovsdb.MutateOperationDelete, Value: uuids})
}

// SetKeys sets keys of a map of the row and does not change the others.
func SetKeys(row any, field *map[string]string, values map[string]string) Edit {
	keys := slices.Sorted(maps.Keys(values))
	return mutate(row,
		// An insert keeps an existing key, so the key is removed first.
		model.Mutation{Field: field, Mutator: ovsdb.MutateOperationDelete, Value: keys},
		model.Mutation{Field: field, Mutator: ovsdb.MutateOperationInsert, Value: values})
}

// UnsetKeys removes keys of a map of the row.
func UnsetKeys(row any, field *map[string]string, keys ...string) Edit {
	return mutate(row, model.Mutation{Field: field, Mutator: ovsdb.MutateOperationDelete, Value: keys})
}

func count(row any, field *int) Edit {
	return mutate(row, model.Mutation{Field: field, Mutator: ovsdb.MutateOperationAdd, Value: 1})
}

func mutate(row any, mutations ...model.Mutation) Edit {
	return func(b client.API) ([]ovsdb.Operation, error) { return b.Where(row).Mutate(row, mutations...) }
}

// Unless ends the transaction if another row with this text in this column was
// added since the rows were read: most names in OVN are not unique by themselves.
// The step then reads and decides again.
func Unless(row any, field *string) Edit {
	return func(b client.API) ([]ovsdb.Operation, error) {
		now := 0
		same := model.Condition{Field: field, Function: ovsdb.ConditionEqual, Value: *field}
		return b.WhereAll(row, same).Wait(ovsdb.WaitConditionNotEqual, &now, row, field)
	}
}

// Optional returns the value of a column that holds zero or one: none for the zero value.
func Optional[T comparable](value T) *T {
	var none T
	if value == none {
		return nil
	}
	return &value
}

// operations makes the transaction of all edits.
func operations(b client.API, edits []Edit) ([]ovsdb.Operation, error) {
	var all []ovsdb.Operation
	for _, edit := range edits {
		ops, err := edit(b)
		if err != nil {
			return nil, err
		}
		all = append(all, ops...)
	}
	return all, nil
}

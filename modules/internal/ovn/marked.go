package ovn

import (
	"context"
	"reflect"

	"kinit/engine/module"
)

// Marked counts the rows of rows, such as nb.Rows, that have a mark of the owner:
// its own and those it shares. A row that keeps book of settings counts too.
func Marked(rows any, owner string) int {
	if owner == "" {
		return 0
	}
	count := 0
	tables := reflect.ValueOf(rows)
	for i := range tables.NumField() {
		for j := range tables.Field(i).Len() {
			field := tables.Field(i).Index(j).FieldByName("ExternalIDs")
			if !field.IsValid() {
				continue
			}
			count += marked(field.Interface().(map[string]string), owner)
		}
	}
	return count
}

// marked is 1 for external_ids with a mark of the owner.
func marked(ids map[string]string, owner string) int {
	if ids[OwnerKey] == owner || Shares(ids, owner) || len(Releases(ids, owner)) > 0 {
		return 1
	}
	return 0
}

// Load reads all rows of a database of a host into rows, a pointer to a struct such
// as nb.Rows. A database that does not run has none.
func Load(ctx context.Context, h module.Host, db Database, rows any) error {
	there, err := Running(ctx, h, db)
	if err != nil || !there {
		return err
	}
	s, err := Open(ctx, h, db)
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Read(ctx, rows)
}

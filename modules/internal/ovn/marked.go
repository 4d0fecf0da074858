package ovn

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/claim"
)

// Marked counts the rows of rows, such as nb.Rows, that have a mark of the owner:
// its own and those it shares. A row with records of settings counts too.
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

// Namesakes lists the rows of rows, such as nb.Rows, of another owner with the name of the
// host's owner, such as "Switch k8s".
func Namesakes(h module.Host, rows any) []string {
	var names []string
	tables := reflect.ValueOf(rows)
	for i := range tables.NumField() {
		for j := range tables.Field(i).Len() {
			row := tables.Field(i).Index(j)
			ids := row.FieldByName("ExternalIDs")
			if !ids.IsValid() || !claim.Namesake(h, ids.Interface().(map[string]string)[OwnerKey]) {
				continue
			}
			name := row.FieldByName("UUID")
			if own := row.FieldByName("Name"); own.IsValid() && own.Kind() == reflect.String {
				name = own
			}
			names = append(names, row.Type().Name()+" "+name.String())
		}
	}
	slices.Sort(names)
	return names
}

// LeftAlone returns the message that rows of another owner with the same name remain; "" if
// there are none.
func LeftAlone(h module.Host, names []string) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = claim.LeftAlone(h, name)
	}
	return strings.Join(texts, "\n")
}

// marked is 1 for external_ids with a mark of the owner.
func marked(ids map[string]string, owner string) int {
	if ids[OwnerKey] == owner || Shares(ids, owner) || len(Releases(ids, owner)) > 0 {
		return 1
	}
	return 0
}

// Load reads all rows of a host's database into rows, a pointer to a struct such
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

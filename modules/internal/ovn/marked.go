package ovn

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/modules/internal/ovn/table"
	"kinit/modules/internal/ownership"
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

// namesakes lists the rows of rows, such as nb.Rows, of another owner with the name of the
// host's owner, such as "Switch k8s".
func namesakes(h module.Host, rows any) []string {
	var names []string
	tables := reflect.ValueOf(rows)
	for i := range tables.NumField() {
		for j := range tables.Field(i).Len() {
			row := tables.Field(i).Index(j)
			ids := row.FieldByName("ExternalIDs")
			if !ids.IsValid() || !ownership.Namesake(h, ids.Interface().(map[string]string)[OwnerKey]) {
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
func LeftAlone(h module.Host, rows any) string {
	return strings.Join(lists.Map(namesakes(h, rows), func(name string) string { return ownership.LeftAlone(h, name) }), "\n")
}

// Removal is the removal of one object of a sweep. Its key stays the same while the object exists.
type Removal struct {
	Key string
	Change
}

// SweepSteps returns a step for each removal, which decides again when it runs. Removals that
// another owner's rows block come last, so that they do not stop the others.
func SweepSteps[R any](h module.Host, db Database, rows R, removals func(rows R, owner string) []Removal) []module.Step {
	all := removals(rows, ownership.Signature(h))
	slices.SortStableFunc(all, func(a, b Removal) int { return a.blocked() - b.blocked() })
	var steps []module.Step
	for _, planned := range all {
		if planned.Empty() {
			continue
		}
		steps = append(steps, module.NewStep(planned.Text, func(ctx context.Context, h module.Host) error {
			return Do(ctx, h, db, func(rows R, owner string) (Change, error) {
				now, _ := table.First(removals(rows, owner), func(r Removal) bool { return r.Key == planned.Key })
				return now.Change, nil
			})
		}))
	}
	return steps
}

func (r Removal) blocked() int {
	if r.Blocked != nil {
		return 1
	}
	return 0
}

// marked is 1 for external_ids with a mark of the owner.
func marked(ids map[string]string, owner string) int {
	if ids[OwnerKey] == owner || Shares(ids, owner) || len(Releases(ids, owner)) > 0 {
		return 1
	}
	return 0
}

// Load reads all rows of a host's database, such as nb.Rows. A database that does not run has
// none.
func Load[R any](ctx context.Context, h module.Host, db Database) (rows R, err error) {
	there, err := Running(ctx, h, db)
	if err != nil || !there {
		return rows, err
	}
	s, err := Open(ctx, h, db)
	if err != nil {
		return rows, err
	}
	defer s.Close()
	err = s.Read(ctx, &rows)
	return rows, err
}

// Left counts the rows of a host's database that have a mark of the host's owner.
func Left[R any](ctx context.Context, h module.Host, db Database) (int, error) {
	rows, err := Load[R](ctx, h, db)
	return Marked(rows, ownership.Signature(h)), err
}

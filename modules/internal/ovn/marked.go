package ovn

import (
	"context"
	"iter"
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
	for _, ids := range marks(rows) {
		if isMarked(ids, owner) {
			count++
		}
	}
	return count
}

// marks yields the rows of rows, such as nb.Rows, that have external_ids, with these.
func marks(rows any) iter.Seq2[reflect.Value, map[string]string] {
	return func(yield func(reflect.Value, map[string]string) bool) {
		for _, table := range reflect.ValueOf(rows).Fields() {
			for _, row := range table.Seq2() {
				ids := row.FieldByName("ExternalIDs")
				if ids.IsValid() && !yield(row, ids.Interface().(map[string]string)) {
					return
				}
			}
		}
	}
}

// namesakes lists the rows of rows, such as nb.Rows, of another owner with the name of the
// host's owner, such as "Switch k8s".
func namesakes(h module.Host, rows any) []string {
	var names []string
	for row, ids := range marks(rows) {
		if !ownership.Namesake(h, ids[OwnerKey]) {
			continue
		}
		name := row.FieldByName("UUID")
		if own := row.FieldByName("Name"); own.IsValid() && own.Kind() == reflect.String {
			name = own
		}
		names = append(names, row.Type().Name()+" "+name.String())
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
	Key   string
	Ports []string // names of switch ports that go, which may be those of nodes
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
		steps = append(steps, NewRemoval(planned.Text, planned.Ports, func(ctx context.Context, h module.Host) error {
			return Do(ctx, h, db, func(rows R, owner string) (Change, error) {
				now, _ := table.First(removals(rows, owner), func(r Removal) bool { return r.Key == planned.Key })
				return now.Change, nil
			})
		}))
	}
	return steps
}

// NewRemoval returns a step that removes some ports, with what they belong to.
func NewRemoval(text string, ports []string, do func(ctx context.Context, h module.Host) error) module.Step {
	if len(ports) == 0 {
		return module.NewStep(text, do)
	}
	return module.NewRemoval(text, module.Removed{Kind: "port of node", Parts: ports}, do)
}

func (r Removal) blocked() int {
	if r.Blocked != nil {
		return 1
	}
	return 0
}

// isMarked reports whether external_ids have a mark of the owner.
func isMarked(ids map[string]string, owner string) bool {
	return ids[OwnerKey] == owner || Shares(ids, owner) || len(Releases(ids, owner)) > 0
}

// Load reads all rows of a host's database, such as nb.Rows. A database that does not run has
// none.
func Load[R any](ctx context.Context, h module.Host, db Database) (rows R, err error) {
	there, err := Running(ctx, h, db)
	if err != nil || !there {
		return rows, err
	}
	return Read[R](ctx, h, db)
}

// Read is Load for a database that must answer.
func Read[R any](ctx context.Context, h module.Host, db Database) (rows R, err error) {
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

// Sweep is the part that tasks share which remove an owner's rows from a database.
type Sweep struct {
	// All removes everything that the cluster owns. Default false: removes what keep does not
	// name.
	All bool `hcl:"all,optional"`
	// Keep are the names of objects that remain.
	Keep []string `hcl:"keep,optional"`

	message string
}

// Goes reports whether an object with this name is to be removed.
func (s *Sweep) Goes(name string) bool { return s.All || !slices.Contains(s.Keep, name) }

// NoteForeign notes the rows that seem to be the owner's but are not, for the task's message.
func (s *Sweep) NoteForeign(h module.Host, rows any) { s.message = LeftAlone(h, rows) }

// MessageText returns the rows of another cluster with the same name.
func (s *Sweep) MessageText() string { return s.message }

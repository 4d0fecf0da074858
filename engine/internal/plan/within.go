package plan

import (
	"reflect"
	"time"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/bounds"
)

// Within is how long the task may wait by its argument "within", or by what its module
// takes for that. It is 0 where the module has no such argument or it is not known.
func (t *Task) Within(values *Values) time.Duration {
	made := reflect.ValueOf(t.block.kind.New()).Elem()
	for _, f := range fields(made.Type()) {
		into := made.Field(f.position)
		if f.name != "within" || into.Kind() != reflect.String {
			continue
		}
		text := into.String()
		if attr := t.block.spec.Args.Attributes[f.name]; attr != nil {
			value, problems := bounds.Value(attr.Expr, t.context(values))
			if value, _ = value.Unmark(); problems.HasErrors() || !value.IsKnown() || value.IsNull() || value.Type() != cty.String {
				return 0
			}
			text = value.AsString()
		}
		within, err := time.ParseDuration(text)
		if err != nil {
			return 0 // the module says what is wrong with it
		}
		return within
	}
	return 0
}

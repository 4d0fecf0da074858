package plan

import (
	"sync"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"kinit/engine/internal/sensitive"
)

// Values holds what finished tasks returned. It is safe for use by several
// goroutines; the zero value is empty.
type Values struct {
	mu      sync.RWMutex
	known   map[string]map[string]cty.Value
	unknown map[string]bool
}

// Set keeps the values that an Outputter returned, nil for a task without any.
// The values of a task that was skipped are null and need no Set.
func (v *Values) Set(address string, values map[string]cty.Value) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.known == nil {
		v.known = map[string]map[string]cty.Value{}
	}
	v.known[address] = values
	delete(v.unknown, address)
}

// Get returns the values of a task, nil when there are none.
func (v *Values) Get(address string) map[string]cty.Value {
	values, _ := v.get(address)
	return values
}

// SetUnknown says that a task's values will be known only after it changed
// something, in a dry run.
func (v *Values) SetUnknown(address string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.unknown == nil {
		v.unknown = map[string]bool{}
	}
	v.unknown[address] = true
	delete(v.known, address)
}

// state is what is known of one task's values.
type state int

const (
	missing state = iota // it did not run
	unknown              // it would change something, in a dry run
	known
)

// get returns a task's values. Before the run, when there are no Values, all are
// unknown.
func (v *Values) get(address string) (map[string]cty.Value, state) {
	if v == nil {
		return nil, unknown
	}
	v.mu.RLock()
	defer v.mu.RUnlock()
	if v.unknown[address] {
		return nil, unknown
	}
	values, ok := v.known[address]
	if !ok {
		return nil, missing
	}
	return values, known
}

// object is a task's values as an expression sees them: every output of its
// module, null where the task returned none or did not run.
func (t *Task) object(values *Values) cty.Value {
	if t.block.kind == nil {
		return cty.DynamicVal
	}
	if f := t.block.foreseen; f != nil && values == nil && t.Skip == "" {
		return f.done
	}
	returned, is := values.get(t.Address)
	if t.Skip != "" {
		returned, is = nil, known
	}
	all := map[string]cty.Value{}
	for name, kind := range t.block.outputs {
		all[name] = cty.UnknownVal(kind)
		if is != unknown {
			all[name] = typed(returned[name], kind)
		}
		if t.block.hidden(name) {
			all[name] = sensitive.Mark(all[name])
		}
	}
	return cty.ObjectVal(all)
}

// typed makes a value have a declared type. One that cannot be is kept as it is:
// the module broke its contract, and what uses the value will tell.
func typed(value cty.Value, kind cty.Type) cty.Value {
	if value == cty.NilVal {
		return cty.NullVal(kind)
	}
	if converted, err := convert.Convert(value, kind); err == nil {
		return converted
	}
	return value
}

// pending lists those of the tasks whose values cannot be used.
func (b *blocks) pending(needs []string, values *Values, is ...state) []string {
	var found []string
	for _, address := range needs {
		if t := b.tasks[address]; t == nil || t.Skip != "" {
			continue
		}
		_, have := values.get(address)
		for _, s := range is {
			if have == s {
				found = append(found, address)
			}
		}
	}
	return found
}

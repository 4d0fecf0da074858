package run

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/internal/plan"
	"kinit/engine/internal/recall"
	"kinit/engine/module"
)

// Recall is what earlier runs have read of hosts.
type Recall struct {
	Store    recall.Store
	Identify func(host string) (string, error) // how a host is reached, and its keys
	Fresh    bool                              // read everything anew
}

// recalled gives a task the values that an earlier run has read, where it may have
// them, and tells their age. The host is not asked.
func (r *runner) recalled(t *plan.Task, task module.Task) (outcome, bool) {
	aging, ok := task.(module.Aging)
	if !ok || r.opts.Recall.Fresh || aging.MaxAge() <= 0 {
		return outcome{}, false
	}
	key, ok := r.recallKey(t, task)
	if !ok {
		return outcome{}, false
	}
	values, read, ok := r.opts.Recall.Store.Get(key, aging.OutputTypes(), aging.MaxAge())
	if !ok {
		return outcome{}, false
	}
	values = t.Outputs(values, r.hidden(t))
	r.values.Set(t.Address, values)
	r.tellOutputs(t, values)
	return outcome{message: fmt.Sprintf("as read %s ago", time.Since(read).Round(time.Second))}, true
}

// remember keeps what a task has read for later runs. A dry run keeps nothing. That it
// cannot be kept is no fault of the task: the next run reads it again.
func (r *runner) remember(t *plan.Task, task module.Task, values map[string]cty.Value) {
	aging, ok := task.(module.Aging)
	if !ok || aging.MaxAge() <= 0 || r.opts.Check || anySensitive(values) {
		return
	}
	if key, ok := r.recallKey(t, task); ok {
		_ = r.opts.Recall.Store.Put(key, values)
	}
}

// recallKey says what a task reads, apart from how old it may be.
func (r *runner) recallKey(t *plan.Task, task module.Task) (recall.Key, bool) {
	if r.opts.Recall.Identify == nil {
		return recall.Key{}, false
	}
	from, err := r.opts.Recall.Identify(t.Host)
	if err != nil {
		return recall.Key{}, false // the connection will tell
	}
	values, secrets := plan.Arguments(task, r.hidden(t))
	name := []any{t.Host, t.Module, t.Become}
	for _, v := range values {
		if v.Name != maxAge {
			name = append(name, v)
		}
	}
	text, err := json.Marshal(name)
	return recall.Key{Name: string(text), From: from}, err == nil && len(secrets) == 0 && !r.hidden(t).Any()
}

// maxAge is the argument that says how old values may be.
const maxAge = "max_age"

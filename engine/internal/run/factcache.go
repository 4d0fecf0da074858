package run

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/internal/factcache"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/plan/decode"
	"kinit/engine/internal/sensitive"
	"kinit/engine/module"
)

// cached returns the values that an earlier run has read for a task, if they may be used,
// and reports their age. It does not ask the host.
func (r *runner) cached(t *plan.Task, task module.Task) (outcome, bool) {
	aging, ok := task.(module.Aging)
	if !ok || r.opts.FactCache.Fresh || aging.MaxAge() <= 0 {
		return outcome{}, false
	}
	key, ok := r.cacheKey(t, task)
	if !ok {
		return outcome{}, false
	}
	values, read, ok := r.opts.FactCache.Store.Get(key, module.OutputTypes(task), aging.MaxAge())
	if !ok {
		return outcome{}, false
	}
	values = t.Outputs(values, r.report.hidden(t))
	r.values.Set(t.Address, values)
	r.report.emitOutputs(t, values)
	return outcome{message: fmt.Sprintf("as read %s ago", time.Since(read).Round(time.Second))}, true
}

// remember keeps what a task has read for later runs. A dry run keeps nothing. A failure to
// keep is ignored: the next run reads the values again.
func (r *runner) remember(t *plan.Task, task module.Task, values map[string]cty.Value) {
	aging, ok := task.(module.Aging)
	if !ok || aging.MaxAge() <= 0 || r.opts.Check || slices.ContainsFunc(slices.Collect(maps.Values(values)), sensitive.Is) {
		return
	}
	if key, ok := r.cacheKey(t, task); ok {
		_ = r.opts.FactCache.Store.Put(key, values)
	}
}

// cacheKey returns the key of a task's values. The allowed age is not part of it.
func (r *runner) cacheKey(t *plan.Task, task module.Task) (factcache.Key, bool) {
	if r.opts.FactCache.Identify == nil {
		return factcache.Key{}, false
	}
	from, err := r.opts.FactCache.Identify(t.Host)
	if err != nil {
		return factcache.Key{}, false // connecting will report the error
	}
	values, secrets := decode.Arguments(task, r.report.hidden(t))
	name := []any{t.Host, t.Module, t.Become}
	for _, v := range values {
		if v.Name != maxAge {
			name = append(name, v)
		}
	}
	text, err := json.Marshal(name)
	return factcache.Key{Name: string(text), From: from}, err == nil && len(secrets) == 0 && !r.report.hidden(t).Any()
}

// maxAge is the argument for how old values may be.
const maxAge = "max_age"

package engine

import (
	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/sensitive"
)

// Recap sums up how tasks ended, by stage and by host. order lists the stages in the
// playbook's order.
func Recap(order []string, results []Result) ([]StageTime, []HostCounts) {
	hosts, index := []HostCounts{}, map[string]int{} // in the order in which they first appear
	for _, r := range results {
		entryOf(&hosts, index, r.Host, HostCounts{Host: r.Host}).count(r.Status)
	}
	return stageTimes(order, results), hosts
}

// stageTimes returns how long each stage took, in the playbook's order. Stages without a
// task that ran are left out.
func stageTimes(order []string, results []Result) []StageTime {
	stages := map[string]*StageTime{}
	for _, r := range results {
		if r.Stage == "" || r.Status == event.Skipped {
			continue
		}
		s := stages[r.Stage]
		if s == nil {
			s = &StageTime{Stage: r.Stage, Started: r.Started}
			stages[r.Stage] = s
		}
		end := s.Started.Add(s.Duration)
		if last := r.Started.Add(r.Duration); last.After(end) {
			end = last
		}
		if r.Started.Before(s.Started) {
			s.Started = r.Started
		}
		s.Duration = end.Sub(s.Started)
		s.Tasks++
	}
	var out []StageTime
	for _, name := range order {
		if s := stages[name]; s != nil {
			out = append(out, *s)
		}
	}
	return out
}

// entryOf returns the entry of a name in a list, which is added if it is missing. index has
// the places of the names in the list.
func entryOf[T any](list *[]T, index map[string]int, name string, fresh T) *T {
	if _, known := index[name]; !known {
		index[name] = len(*list)
		*list = append(*list, fresh)
	}
	return &(*list)[index[name]]
}

func (c *HostCounts) count(status event.Status) {
	switch status {
	case event.OK:
		c.OK++
	case event.Changed:
		c.Changed++
	case event.Failed:
		c.Failed++
	case event.Skipped:
		c.Skipped++
	case event.Unreachable:
		c.Unreachable++
	}
}

// outputs returns the outputs whose values are known. The one that is drawn is left out.
func outputs(p *plan.Plan, values *plan.Values, drawn bool, diags *diag.List) []Output {
	var out []Output
	for _, o := range p.Outputs {
		if len(o.Pending(values)) > 0 || drawn && o.Name == TopologyOutput {
			continue
		}
		value, more := o.Value(values)
		*diags = append(*diags, more...)
		// A null output has no value in this run.
		if !more.HasErrors() && !value.IsNull() {
			if o.Sensitive {
				value = sensitive.Mark(value)
			}
			out = append(out, Output{Name: o.Name, Value: sensitive.Text(value), Sensitive: o.Sensitive})
		}
	}
	return out
}

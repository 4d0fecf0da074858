package plan

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/plan/decode"
	"kinit/engine/internal/plan/expand"
	"kinit/engine/internal/plan/refs"
	"kinit/engine/internal/spec"
	"kinit/engine/module"
)

// check decodes every task that will be done, as far as its arguments are known, and checks
// its host. If a task gets sensitive values that it may show, its own values become
// sensitive, and so on for the tasks that read them.
func (p *Plan) check(tasks []*Task) (diags diag.List) {
	byBlock := map[*refs.Block][]*Task{}
	for _, t := range tasks {
		if t.Block.Kind == nil || t.Block.Invalid || t.Skip != "" {
			continue
		}
		byBlock[t.Block] = append(byBlock[t.Block], t)
		diags = append(diags, p.checkSystem(t)...)
	}
	var changed []*refs.Block
	for _, block := range p.refs.Blocks {
		if len(byBlock[block]) == 0 {
			diags = append(diags, checkForm(block.Spec, block.Kind)...)
		}
		more, shows := checkBlock(byBlock[block])
		diags = append(diags, more...)
		if shows && !block.Spec.Sensitive {
			changed = append(changed, block)
		}
	}
	for len(changed) > 0 {
		p.refs = p.refs.Tainted(changed)
		before := changed
		changed = nil
		for _, block := range p.refs.Blocks {
			if len(byBlock[block]) == 0 || p.refs.Sensitive(block) || !block.ReadsAny(before) {
				continue
			}
			if _, shows := checkBlock(byBlock[block]); shows {
				changed = append(changed, block)
			}
		}
	}
	return diags
}

// checkForm finds the mistakes in a task that no value can excuse. A nil kind has none.
func checkForm(t *spec.Task, kind *module.Kind) diag.List {
	if kind == nil {
		return nil
	}
	diags := decode.Form(t.Args, t.Meta, kind.New(), t.Range)
	for i := range diags {
		diags[i].Address = t.Address()
	}
	return diags
}

// Forms finds the mistakes in tasks that no value can excuse, of a spec that cannot be planned because of
// others.
func Forms(s *spec.Spec, kinds []module.Kind) (diags diag.List) {
	known := byName(kinds)
	for _, t := range slices.Concat(s.Tasks, s.Handlers) {
		kind, is := known[t.Module]
		if !is {
			diags = append(diags, expand.UnknownModule(t, slices.Collect(maps.Keys(known)))...)
			continue
		}
		diags = append(diags, checkForm(t, &kind)...)
	}
	return diags
}

func byName(kinds []module.Kind) map[string]module.Kind {
	all := map[string]module.Kind{}
	for _, kind := range kinds {
		all[kind.Name] = kind
	}
	return all
}

// WrittenSecrets lists the secrets that are written out in the arguments of tasks. An error shows the
// line of an argument that has no value which could be masked.
func WrittenSecrets(s *spec.Spec, kinds []module.Kind) (all []string) {
	known := byName(kinds)
	for _, t := range slices.Concat(s.Tasks, s.Handlers) {
		if kind, is := known[t.Module]; is && t.Args != nil {
			all = append(all, decode.SecretTexts(t.Args, kind.New(), inventory.IsSecret)...)
		}
	}
	return all
}

// checkBlock decodes the tasks of a block, and reports whether one has a sensitive value
// that it may show. If their arguments are the same, it decodes only one.
func checkBlock(tasks []*Task) (diags diag.List, shows bool) {
	var references map[string]cty.Value // the same for all, if the links are
	var shared *decode.Shared
	for i, t := range tasks {
		if i == 0 {
			shared = decode.NewShared(t.Block.Namespace.Differs)
		}
		if i == 0 || !t.Block.Linked {
			references = t.plan.refs.Variables(t.Args, t.Block.Namespace, nil)
		}
		ctx := t.plan.refs.ContextWith(t.Task.Task, references, nil)
		_, hidden, _, more := t.decode(ctx, shared)
		shows = shows || hidden.All
		diags = append(append(diags, more...), t.checkConditions(ctx, shared)...)
		if i == 0 && t.Block.Linked && !slices.ContainsFunc(t.Block.Late(), t.Block.Namespace.Differs) {
			break
		}
	}
	return diags, shows
}

// checkSystem reports a task whose module does not work on its host, if the host's system
// is known before the run.
func (p *Plan) checkSystem(t *Task) diag.List {
	system := p.system(t.Host)
	if system == "" {
		return nil
	}
	if err := t.On(system); err != nil {
		return t.own(diag.List{{Summary: "Wrong operating system", Detail: sentence(err.Error()), Subject: &t.Range, Cause: err}})
	}
	if user := p.becomes(t); system == module.Windows && user != "" {
		return t.own(diag.List{{Summary: "Invalid become", Subject: &t.Range, Detail: fmt.Sprintf("The host %s runs Windows, where kinit cannot become another user. "+
			"To work as %q, log in as that user: give this host that user, or declare a second host with the same address and that user. For administrators leave become out.", t.Host, user)}})
	}
	return nil
}

// becomes returns the user that a task becomes, by its own argument or by the inventory; empty for the login, or if a
// playbook's host says it.
func (p *Plan) becomes(t *Task) string {
	if t.Become != nil {
		return t.Become.User
	}
	if host := p.refs.Set.Hosts.Find(t.Host); host != nil {
		return host.Settings.Become
	}
	return ""
}

// system returns the operating system of a host, empty if it is not known before the run.
func (p *Plan) system(name string) module.OS {
	if host := p.refs.Set.Hosts.Find(name); host != nil {
		return systemOf(host.Settings.OS, host.Settings.Transport)
	}
	host := p.refs.Host(name)
	if host.Host == nil {
		outside := inventory.Outside(name)
		return systemOf(outside.OS, outside.Transport)
	}
	os, known := p.text(host, host.Spec.OS)
	transport, both := p.text(host, host.Spec.Transport)
	if !known || os == "" && !both {
		return ""
	}
	return systemOf(os, transport)
}

// systemOf returns the operating system of a host's settings, or the one of their
// transport.
func systemOf(os, transport string) module.OS {
	switch {
	case os != "":
		return module.OS(os)
	case transport == inventory.WinRM:
		return module.Windows
	}
	return module.Linux
}

// text returns a text of the block, and whether it is known before the run. A missing text
// is empty.
func (p *Plan) text(h *refs.Host, expr hcl.Expression) (string, bool) {
	if expr == nil {
		return "", true
	}
	value, problems := bounds.Value(expr, p.refs.Late(h, nil))
	if problems.HasErrors() {
		return "", false // reported when the block is checked
	}
	value, _ = refs.Typed(value, cty.String).Unmark()
	switch {
	case value.IsNull():
		return "", true
	case !value.IsKnown() || value.Type() != cty.String:
		return "", false
	}
	return value.AsString(), true
}

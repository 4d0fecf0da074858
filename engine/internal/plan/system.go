package plan

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/inventory"
	"kinit/engine/module"
)

// checkSystem tells of a task whose module does not work on its host, where it is known
// before the run what that runs.
func (b *builder) checkSystem(t *Task) {
	system := t.plan.hosts.system(t.Host)
	if system == "" {
		return
	}
	if err := t.On(system); err != nil {
		at := t.Range
		b.diags = append(b.diags, t.own(diag.List{{
			Summary: "Wrong operating system", Detail: sentence(err.Error()), Subject: &at, Cause: err}})...)
	}
}

// system is what a host runs, empty where that is not known before the run.
func (h *hosts) system(name string) module.OS {
	if host := h.find(name); host != nil {
		return systemOf(host.Settings.OS, host.Settings.Transport)
	}
	host := h.declared[name]
	if host == nil {
		outside := inventory.Outside(name)
		return systemOf(outside.OS, outside.Transport)
	}
	os, known := host.text(host.spec.OS)
	transport, both := host.text(host.spec.Transport)
	if !known || os == "" && !both {
		return ""
	}
	return systemOf(os, transport)
}

// systemOf is what the settings of a host say, or what their transport is for.
func systemOf(os, transport string) module.OS {
	switch {
	case os != "":
		return module.OS(os)
	case transport == inventory.WinRM:
		return module.Windows
	}
	return module.Linux
}

// text is a text of the block, and whether it is known before the run. No text is an
// empty one.
func (h *declaredHost) text(expr hcl.Expression) (string, bool) {
	if expr == nil {
		return "", true
	}
	value, problems := bounds.Value(expr, h.late(nil))
	if problems.HasErrors() {
		return "", false // told when the block is checked
	}
	value, _ = typed(value, cty.String).Unmark()
	switch {
	case value.IsNull():
		return "", true
	case !value.IsKnown() || value.Type() != cty.String:
		return "", false
	}
	return value.AsString(), true
}

// Package ansible is the module "ansible": one of Ansible's modules, as it is.
//
// The ansible-core of the machine kinit runs on builds the module's payload; kinit carries it
// to the host over its own transport. Nothing else of Ansible is used.
package ansible

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/ansiblecore"
)

// Task calls one of Ansible's modules on the host: one of ansible-core's own, or one of a
// collection.
//
// The machine kinit runs on needs ansible-core, and the collection of the module; the host
// needs Python. kinit calls the module in check mode to plan, and shows its diff. It calls it
// for real if that said that something changes, and then again in check mode, which must say
// that nothing is left to do. A module without check mode is called for real in every run; the
// plan says so, and whether it has changed anything is known afterwards.
//
// What the module makes is not marked as the cluster's, and cleanup does not remove it. Of
// Ansible's configuration, what concerns collections applies (ansible.cfg and the variables
// ANSIBLE_… of the machine kinit runs on); its inventories, variables, connections and filters
// do not. ansible-core runs in a private folder with Python isolated, and obeys no configuration or
// module that another user may have put in its way (KINIT_TRUST_DIR says which folders are trusted).
// The arguments are in no log of the host and in no list of processes. Modules
// that Ansible does on the controller, such as template, are kinit's own instead.
//
// The diff has no content of a file that only its owner can read, and if a secret argument has
// several lines there is none.
//
// Errors:
//   - ansible-core is missing on the machine kinit runs on, or Python on the host
//   - ansible-core has no module with that name
//   - the module works with code on the controller, or is for Windows
//   - the module refuses an argument, or fails; the error has its message
//   - the module still reports a change after it ran, and verify is not false
type Task struct {
	// Module is the module's name with its collection, such as "community.general.ufw". One of
	// ansible-core's own may have its short name, such as "lineinfile".
	Module string `hcl:"module"`
	// Args are the module's arguments, as Ansible's documentation lists them. A null one is
	// absent.
	Args cty.Value `hcl:"args,optional"`
	// SecretArgs are further arguments, whose texts are shown nowhere.
	SecretArgs map[string]secret.Value `hcl:"secret_args,optional"`
	// Python is the interpreter on the host.
	Python string `hcl:"python,optional" default:"/usr/bin/python3" path:"absolute"`
	// Verify is whether the module must report no change after it ran. Some modules report one
	// each time, such as one that updates a cache.
	Verify bool `hcl:"verify,optional" default:"true"`

	core   *ansiblecore.Builder
	files  module.LocalFiles // the files that src of a copy names
	judged bool              // the playbook decides about failure
	blind  bool              // the module has no check mode
	done   bool              // the module was called for real
	last   *result
}

func Kind() module.Kind { return kind(ansiblecore.New()) }

func kind(core *ansiblecore.Builder) module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "ansible", New: func() module.Task {
		return module.SetDefaults(&Task{core: core})
	}})
}

// ReadFrom sets the files that src of a copy names.
func (t *Task) ReadFrom(files module.LocalFiles) { t.files = files }

// Judge makes the playbook decide about failure.
func (t *Task) Judge() { t.judged = true }

// Unverifiable reports whether check mode cannot tell if something is left to do.
func (t *Task) Unverifiable() bool { return t.blind || !t.Verify }

func (t *Task) Validate() error {
	if err := checkName(t.Module); err != nil {
		return err
	}
	return t.checkArgs()
}

// Outputs are the results of the last call.
type Outputs struct {
	Changed bool   `cty:"changed"` // whether the module reported a change
	Failed  bool   `cty:"failed"`  // whether it failed, for failed_when
	Msg     string `cty:"msg"`     // its message
	// all that it returned, as Ansible's documentation of the module lists it, such as
	// result.stat.exists
	Result cty.Value `cty:"result"`
}

// Outputs returns the results of the real call, or of check mode if there was none.
func (t *Task) Outputs(ctx context.Context, _ module.Host) (Outputs, error) {
	value, err := t.last.value()
	out := Outputs{Result: value}
	if t.last != nil {
		out.Changed, out.Failed, out.Msg = t.last.changed, t.last.failed, t.last.message
	}
	if err != nil {
		return out, err
	}
	return out, ctx.Err()
}

// MessageText returns the module's warnings.
func (t *Task) MessageText() string {
	if t.last == nil {
		return ""
	}
	return strings.Join(t.last.warnings, "\n")
}

// Plan calls the module in check mode.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := t.sent()
	if err != nil {
		return nil, err
	}
	found, err := t.call(ctx, h, s, true)
	if err != nil {
		return nil, err
	}
	if !t.done {
		t.last = found
	}
	t.blind = found.skipped
	switch {
	case t.blind:
		return []module.Step{&call{task: t, text: "call " + t.Module + ", which has no check mode: what it changes is not known"}}, nil
	case !found.changed:
		return nil, nil
	}
	text := "call " + t.Module
	if found.message != "" && !strings.Contains(found.message, "\n") {
		text += ": " + found.message
	}
	diff := found.diff()
	if diff == "" {
		diff = t.copyDiff(ctx, h, s)
	}
	if diff != "" {
		text += "\n" + diff
	}
	return []module.Step{&call{task: t, text: h.Redact(text)}}, nil
}

// call is the step that calls the module for real. If the module then reports no change, the
// step has changed nothing.
type call struct {
	task      *Task
	text      string
	unchanged bool
}

func (c *call) String() string { return c.text }
func (c *call) Waits() bool    { return c.unchanged }

func (c *call) Do(ctx context.Context, h module.Host) error {
	s, err := c.task.sent()
	if err != nil {
		return err
	}
	found, err := c.task.call(ctx, h, s, false)
	if err != nil {
		return err
	}
	c.task.last, c.task.done, c.unchanged = found, true, !found.changed
	return nil
}

// ofController returns the error for a module that Ansible would call with code of its own on
// the controller, or that is no program for Python.
func (t *Task) ofController(p *ansiblecore.Payloads) error {
	short := builtin(p.Name)
	if slices.Contains(alone, short) {
		return nil
	}
	switch {
	case p.Action:
		return fmt.Errorf("module: Ansible calls %s with code on the controller (an action plugin), and kinit calls modules on hosts alone: "+
			"use a module of kinit, or another one of Ansible's", p.Name)
	case !p.Python:
		return fmt.Errorf("module: %s is not written in Python for Linux hosts: use a module of kinit, such as win_powershell, or another one of Ansible's", p.Name)
	}
	return nil
}

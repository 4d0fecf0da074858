package engine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kinit/engine/diag"
	"kinit/engine/internal/removal"
	"kinit/engine/internal/run"
)

// Apply does what a saved plan says, and nothing else. It plans again first: when a file, a
// value or the changes of a task differ from the saved ones, it returns an error that names
// the difference, and changes nothing. While it runs, each task may only do its saved
// steps, except tasks that could be planned only after others, those of on_failure, and tasks that read how
// these or failed ones ended.
//
// From o it takes the settings of the program, and the secret values, which a saved plan
// does not contain.
func Apply(ctx context.Context, o Options, s *Saved) *Report {
	o, diags := s.options(o)
	o.ConfirmRemovals = removal.Once(o.ConfirmRemovals)
	silent := o
	silent.Events, silent.Confirm = nil, nil
	id := newIdentity(o)
	id.fresh.ID = cmp.Or(s.Instance, id.fresh.ID)
	before, report := makePlan(ctx, silent, modePlan, id)
	defer before.close()
	if before.plan == nil {
		return report
	}
	diags = append(diags, s.movedFiles(before)...)
	if s.Existing != "" && s.Existing != before.found.Life() {
		diags = append(diags, moved("The cluster %q is another one than the plan was made for: it was removed or rebuilt since.", before.topology.Cluster.Name)...)
	}
	p, again := makePlan(ctx, o, modeRun, id)
	defer p.close()
	if len(diags) > 0 || p.plan == nil {
		return report.refuse(append(diags, again.Diagnostics...)).end(ctx, before.started)
	}
	p.consent = p.consents(true)
	report.Removals = p.consent.Planned
	if diags := p.consent.Confirmed(ctx); len(diags) > 0 {
		return report.refuse(diags).end(ctx, before.started)
	}
	within, held, diags := p.own(ctx)
	if len(diags) > 0 {
		return report.refuse(diags).end(ctx, before.started)
	}
	if moved := s.movedTasks(within, before); len(moved) > 0 {
		report.refuse(moved)
	} else if p.overtaken(within) {
		report.refuse(stalePlan())
	} else {
		options := p.runOptions(within, held)
		options.Expect = s.expectation(p)
		p.fill(report, run.Run(within, p.plan, p.values, p.connections, options))
	}
	return report.refuse(held.Release(ctx)).end(ctx, before.started)
}

// options returns the options that the plan was made with, with the secrets given again.
func (s *Saved) options(o Options) (Options, diag.List) {
	var diags diag.List
	given := environ(o.Environ)
	maps.Copy(given, o.Vars)
	o.Inputs, o.Vars = s.Inputs, map[string]string{}
	maps.Copy(o.Vars, s.Vars)
	o.Environ = slices.DeleteFunc(slices.Clone(o.Environ), func(pair string) bool { return strings.HasPrefix(pair, environPrefix) })
	for name, value := range s.Environ {
		o.Environ = append(o.Environ, environPrefix+name+"="+value)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Secrets)) {
		value, ok := given[name]
		switch {
		case !ok:
			diags = append(diags, diag.Errorf(nil, "Missing secret", "The saved plan does not have the value of %q, which is secret. Give it again, by --var %s=… or as %s%s.", name, name, environPrefix, name)...)
		case slowDigest(value, s.Salt) != s.Secrets[name].Digest:
			diags = append(diags, moved("The secret value of %q is not the one the plan was made with.", name)...)
		}
		if s.Secrets[name].Environ {
			o.Environ = append(o.Environ, environPrefix+name+"="+value)
		} else {
			o.Vars[name] = value
		}
	}
	return o, diags
}

// moved returns the error for something that differs from the saved plan.
func moved(format string, args ...any) diag.List {
	return diag.Errorf(nil, "Saved plan no longer holds", format+" Nothing was changed; make a new plan.", args...)
}

// movedFiles names the files that differ from the saved plan.
func (s *Saved) movedFiles(p *planned) diag.List {
	var diags diag.List
	// The saved tasks have read these files, and the tasks of this run have not yet.
	read := readDigests(p, s.Salt, slices.Collect(maps.Keys(s.Read))...)
	for _, pair := range [][2]map[string]string{{s.Files, p.digests()}, {s.Read, read}} {
		before, now := pair[0], pair[1]
		for _, name := range slices.Sorted(maps.Keys(before)) {
			if now[name] != before[name] {
				diags = append(diags, moved("The file %s has changed.", name)...)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(now)) {
			if _, ok := before[name]; !ok {
				diags = append(diags, moved("The file %s is new.", name)...)
			}
		}
	}
	return diags
}

// movedTasks plans again and names the tasks whose changes differ from the saved ones.
func (s *Saved) movedTasks(ctx context.Context, p *planned) diag.List {
	within, held, diags := p.own(ctx)
	if len(diags) > 0 {
		return diags
	}
	fresh := &Report{}
	p.fill(fresh, run.Run(within, p.plan, p.values, p.connections, p.runOptions(within, held)))
	if fresh.Diagnostics.HasErrors() || ctx.Err() != nil {
		return fresh.Diagnostics
	}
	now, byAddress := savedTasks(fresh, p.options.Redactor.Redact), map[string]SavedTask{}
	for _, t := range now {
		byAddress[t.Address] = t
	}
	known := map[string]bool{}
	for _, before := range s.Tasks {
		known[before.Address] = true
		t, ok := byAddress[before.Address]
		if !ok {
			diags = append(diags, moved("There is no task %s any more.", before.Address)...)
		} else if text := difference(before, t); text != "" {
			diags = append(diags, movedTask(t, text))
		}
	}
	for _, t := range now {
		if !known[t.Address] {
			diags = append(diags, movedTask(t, "It was not in the plan."))
		}
	}
	return diags
}

func movedTask(t SavedTask, text string) diag.Diagnostic {
	d := moved("%s", text)[0]
	d.Address, d.Host = t.Address, t.Host
	return d
}

// difference describes how the changes of a task differ from the saved ones.
func difference(before, now SavedTask) string {
	switch {
	case before.Host != now.Host:
		return fmt.Sprintf("It was planned for the host %s and is for %s now.", before.Host, now.Host)
	case before.Skipped != now.Skipped:
		return fmt.Sprintf("It was %s and is %s now.", doneOrNot(before), doneOrNot(now))
	case before.Later == now.Later && slices.Equal(before.Steps, now.Steps):
		return ""
	}
	was, is := describeSteps(before.Steps, before.Later), describeSteps(now.Steps, now.Later)
	if was == is {
		return "What it would do is the same, " + was + ", but the difference it would make is another."
	}
	return fmt.Sprintf("It would have done: %s. Now it would do: %s.", strings.TrimSuffix(was, "."), strings.TrimSuffix(is, "."))
}

func doneOrNot(t SavedTask) string {
	if t.Skipped {
		return "skipped"
	}
	return "to be done"
}

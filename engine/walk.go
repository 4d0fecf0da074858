package engine

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/host"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/recall"
	"kinit/engine/internal/run"
	"kinit/engine/module"
	"kinit/engine/transport/ssh"
)

// walk loads the spec and runs its plan, or only reads the hosts.
func walk(ctx context.Context, o Options, check bool) *Report {
	started := time.Now()
	return load(ctx, o, check).walk(ctx, started)
}

// walk runs the loaded plan, or only reads the hosts.
func (l *loaded) walk(ctx context.Context, started time.Time) *Report {
	if !l.diags.HasErrors() {
		l.diags = append(l.diags, l.nobody()...)
	}
	report := l.report(ctx, started)
	if report.Invalid {
		return report
	}
	values := &plan.Values{}
	pool := l.pool(values)
	defer pool.Close()
	report.refuse(l.locked(ctx, pool, func(ctx, lasting context.Context) {
		sink(l.options.Events).Emit(event.Event{Time: time.Now(), Kind: event.RunPlanned, Plan: l.describe()})
		options := l.runOptions(values)
		options.Lasting = lasting
		l.fill(report, run.Run(ctx, l.plan, values, pool, options))
	}))
	return report.end(ctx, started)
}

// runOptions returns the options of run.Run.
func (l *loaded) runOptions(values *plan.Values) run.Options {
	return run.Options{
		Check: l.check, Ahead: l.looks, Forks: l.options.Forks, Events: sink(l.options.Events), Redactor: l.options.Redactor,
		Confirm: confirm(l.options.Confirm), Recall: l.recall(values),
	}
}

// recall returns the access to facts that earlier runs have read.
func (l *loaded) recall(values *plan.Values) run.Recall {
	r := run.Recall{Fresh: l.options.FreshFacts, Identify: func(name string) (string, error) {
		settings, err := l.settings(name, values)
		if err != nil {
			return "", err
		}
		return host.Identity(settings)
	}}
	if l.options.StateDir != "" {
		r.Store = recall.Store{Folder: filepath.Join(l.options.StateDir, "facts"), Redact: l.options.Redactor.Redact}
	}
	return r
}

// end records how long the run took and whether it was interrupted.
func (r *Report) end(ctx context.Context, started time.Time) *Report {
	r.Interrupted = ctx.Err() != nil
	r.Duration = time.Since(started)
	return r
}

// pool connects to hosts when a task needs them: how to reach a guest is known only after
// the tasks that create its keys.
func (l *loaded) pool(values *plan.Values) *host.Pool {
	lookup := func(_ context.Context, name string) (host.Settings, error) { return l.settings(name, values) }
	return host.NewPool(lookup, l.options.Redactor)
}

// settings returns how to reach a host.
func (l *loaded) settings(name string, values *plan.Values) (host.Settings, error) {
	settings, diags := l.plan.HostSettings(name, values)
	if err := diags.Err(); err != nil {
		return host.Settings{}, err
	}
	out, err := connection(settings)
	out.Outputs = l.options.OutputDir
	return out, err
}

// connection converts the settings of the inventory for the host package.
func connection(s inventory.Settings) (host.Settings, error) {
	settings := host.Settings{
		Name: s.Name, Address: s.Address, Port: s.Port, User: s.User,
		Local: s.Transport == "local", Via: s.Via, Become: host.Become{User: s.Become},
		IdentityFiles: s.IdentityFiles, KnownHosts: nonEmpty(s.KnownHosts), HostKeys: s.HostKeys,
		PrivateKeys: nonEmpty(s.PrivateKey), OS: module.OS(s.OS),
		WinRM: s.Transport == inventory.WinRM, Auth: s.Auth, Password: s.Password, Certificate: s.Certificate,
		ConnectTimeout: s.ConnectTimeout, Pace: s.Pace,
	}
	if settings.WinRM && s.OS == inventory.Linux {
		return host.Settings{}, fmt.Errorf("the host %s is said to run Linux, but WinRM reaches Windows only", s.Name)
	}
	if !s.FromSSHConfig {
		return settings, nil
	}
	alias, err := ssh.FromSSHConfig(s.Address)
	if err != nil {
		return host.Settings{}, err
	}
	return asConfigured(settings, alias), nil
}

// asConfigured uses the settings of ~/.ssh/config for an address where the inventory has
// none.
func asConfigured(s host.Settings, alias ssh.Alias) host.Settings {
	s.Address, s.Port, s.User = alias.Address, cmp.Or(s.Port, alias.Port), cmp.Or(s.User, alias.User)
	s.Via = cmp.Or(s.Via, alias.ProxyJump)
	s.IdentityFiles = append(s.IdentityFiles, alias.IdentityFiles...)
	if len(s.KnownHosts) == 0 {
		s.KnownHosts = alias.KnownHosts
	}
	return s
}

// nonEmpty returns a list of one value, or an empty list for an empty value.
func nonEmpty[T ~string](value T) []T {
	if value == "" {
		return nil
	}
	return []T{value}
}

// confirm asks the caller about a task by its address.
func confirm(ask Confirm) run.Confirm {
	if ask == nil {
		return nil
	}
	return func(ctx context.Context, t *plan.Task, steps []string) (bool, error) {
		return ask(ctx, t.Address, t.Host, steps)
	}
}

func sink(s event.Sink) event.Sink {
	if s == nil {
		return event.Discard{}
	}
	return s
}

// fill adds the result of the run to the report.
func (l *loaded) fill(report *Report, result *run.Result) {
	for _, t := range result.Tasks {
		report.Results = append(report.Results, Result{
			Address: t.Task.Address, Host: t.Task.Host, Stage: t.Task.Stage, Status: t.Status,
			Steps: t.Steps, Pending: t.Pending, Message: t.Message, Started: t.Started, Duration: t.Duration,
		})
	}
	report.Stages, report.Hosts = Recap(l.plan.Stages, report.Results)
	report.Diagnostics = append(report.Diagnostics, result.Diagnostics...)
	report.Diagnostics = append(report.Diagnostics, l.checks(result.Values)...)
	report.Outputs = l.outputs(result.Values, &report.Diagnostics)
}

// checks evaluates the checks whose values are known.
func (l *loaded) checks(values *plan.Values) diag.List {
	var diags diag.List
	for _, c := range l.plan.Checks {
		if len(c.Pending(values)) == 0 {
			diags = append(diags, c.Run(values)...)
		}
	}
	return diags
}

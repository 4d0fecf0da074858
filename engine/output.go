package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/ownership"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/run"
	"kinit/engine/internal/sensitive"
	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/engine/transport"
)

// Value reads one output of a playbook without changing anything: it plans the tasks whose
// values the output needs. It returns an error if one of them has not been done.
func Value(ctx context.Context, o Options, output string) (string, *Report) {
	p, report := makePlan(ctx, o, modeStatus, newIdentity(o))
	defer p.close()
	if p.plan == nil {
		return "", report
	}
	found := p.plan.Output(output)
	if found == nil {
		names := lists.Map(p.plan.Outputs, func(o *plan.Output) string { return o.Name })
		return "", report.refuse(diag.Errorf(nil, "Unknown output", "The playbook has no output %q.%s", output, diag.Near(output, names)))
	}
	p = read(ctx, p, report, found.Needs)
	if report.Interrupted || report.Diagnostics.HasErrors() {
		return "", report
	}
	found = p.plan.Output(output)
	if pending := found.Pending(p.values); len(pending) > 0 {
		return "", report.refuse(notDone(fmt.Sprintf("the output %q", output), pending))
	}
	value, diags := found.Value(p.values)
	report.Diagnostics = append(report.Diagnostics, diags...)
	return sensitive.Text(value), report
}

// Connect connects to a host of the spec, which may be a guest, and returns the connection
// and the family of its operating system. If the host's block has words for a shell, the
// connection is to the host that they run on, and a command line begins with them. It changes
// nothing.
func Connect(ctx context.Context, o Options, name string, use func(conn transport.Conn, system module.OS, shell []string) error) *Report {
	p, report := makePlan(ctx, o, modeStatus, newIdentity(o))
	defer p.close()
	if p.plan == nil {
		return report
	}
	if !p.plan.Known(name) {
		return report.refuse(diag.Errorf(nil, "Unknown host", "There is no host %q in the spec or the inventory.%s", name, diag.Near(name, p.plan.HostNames())))
	}
	on, shell := p.plan.Shell(name)
	return connect(ctx, p, report, on, func(conn transport.Conn, system module.OS) error { return use(conn, system, shell) })
}

// Node is a guest of the spec's cluster. The commands run on its hypervisor and do not need
// the node's network; each may be missing.
type Node struct {
	Name        string
	Address     string // on the cluster's network, as seen from its hypervisor
	OS          module.OS
	Driver      string
	Console     []string // connects the terminal to the node's console
	TakeConsole []string // the same, but ends another session first
	Screen      []string // prints the address of the node's VNC server, as virsh vncdisplay does
}

// ConnectUnder connects to the hypervisor of a node of the spec's cluster. It changes
// nothing, and does not check whether the node exists.
func ConnectUnder(ctx context.Context, o Options, node string, use func(transport.Conn, Node) error) *Report {
	p, report := makePlan(ctx, o, modeStatus, newIdentity(o))
	defer p.close()
	if p.plan == nil {
		return report
	}
	var names []string
	if p.topology != nil {
		for _, n := range p.topology.Nodes {
			if n.Name == node && n.Hypervisor == "" {
				return report.refuse(diag.Errorf(nil, "No hypervisor", "The node %q is a machine that exists by itself, so no hypervisor leads to its console. 'kinit ssh' logs in to it.", node))
			}
			if n.Name == node {
				ways := p.plan.Ways(node)
				found := Node{Name: n.Name, Address: n.IP.String(), OS: n.Family(), Driver: n.Driver,
					Console: ways.Console, TakeConsole: ways.TakeConsole, Screen: ways.Screen}
				return connect(ctx, p, report, n.Hypervisor, func(conn transport.Conn, _ module.OS) error { return use(conn, found) })
			}
			names = append(names, n.Name)
		}
	}
	return report.refuse(diag.Errorf(nil, "Unknown node", "The spec has no node %q.%s", node, diag.Near(node, names)))
}

func connect(ctx context.Context, p *planned, report *Report, name string, use func(transport.Conn, module.OS) error) *Report {
	p = read(ctx, p, report, p.plan.HostReads(name))
	if report.Interrupted || report.Diagnostics.HasErrors() {
		return report
	}
	machine, err := p.connections.Get(ctx, name)
	if err == nil {
		err = use(machine.Conn(), machine.OS())
	}
	report.Interrupted = ctx.Err() != nil
	if err != nil && !report.Interrupted {
		report.refuse(diag.List{{Summary: "Connection failed", Detail: p.options.Redactor.Redact(err.Error()), Host: name, Cause: err}})
	}
	return report
}

// read plans only the named tasks and those they read. It returns that plan, with their values.
// A task that would change something is an error.
func read(ctx context.Context, p *planned, report *Report, addresses []string) *planned {
	p, result := p.lookAt(ctx, report, addresses, false)
	if result == nil {
		return p
	}
	report.Diagnostics = append(report.Diagnostics, result.Diagnostics...)
	for _, t := range result.Tasks {
		if t.Status == event.Changed {
			report.refuse(notDone("this", []string{t.Address}))
			break
		}
	}
	return p
}

// lookAt plans only the named tasks and those they read, ahead of their turn if that is asked
// for. It makes another plan of the same text, on the same hosts with what they had, which takes
// the connections over. The result is nil if there is none.
func (p *planned) lookAt(ctx context.Context, report *Report, addresses []string, ahead bool) (*planned, *run.Result) {
	if len(addresses) == 0 {
		return p, nil
	}
	next := &planned{call: p.call, texts: p.texts, found: p.found}
	o := &next.options
	o.Only, o.StopAfter, o.StartAt, o.Skip, o.Tags, o.SkipTags = addresses, "", "", nil, nil, nil
	var diags, more diag.List
	if next.evaluated, diags = evaluate(ctx, next.call, next.texts); !diags.HasErrors() {
		next.built, more = build(next.call, next.texts, next.evaluated, next.found)
		diags = append(diags, more...)
	}
	if diags.HasErrors() {
		report.refuse(diags)
		return next, nil
	}
	next.reach.follow(next.plan, next.values)
	ownership.Look(next.ownership())
	result := run.Run(ctx, next.plan, next.values, next.connections, run.Options{
		Check: true, Ahead: ahead, Forks: o.Forks, Events: o.Events, Redactor: o.Redactor,
	})
	report.Interrupted = ctx.Err() != nil
	return next, result
}

// notDone returns the error for something that does not exist yet.
func notDone(what string, pending []string) diag.List {
	list := diag.Errorf(nil, "Not deployed", "There is no value for %s yet: %s would still change something. Run the spec first.", what, strings.Join(pending, ", "))
	list[0].Cause = errors.New("not deployed")
	return list
}

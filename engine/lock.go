package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/etcd"
	"kinit/engine/internal/host"
	"kinit/engine/internal/lock"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/run"
	"kinit/engine/lists"
	"kinit/engine/module"
)

// ErrLocked is the cause when another run works on what the owner has.
var ErrLocked = lock.ErrHeld

// ErrLockLost is the cause when a run stopped because it lost its lock or could not renew
// it.
var ErrLockLost = lock.ErrLost

// own makes sure that only this run works on what the plan's owner has, until the returned
// keeper releases it. It takes the team's lock, if an inventory configures one, and the lock
// on each host that tasks change; it locks hosts that become reachable later when they do. A
// run that changes nothing takes no lock; it is refused if the owner's name is taken. The
// returned context ends when a lock is lost or the run is interrupted. Without asking hosts there
// is nothing to own.
func (p *planned) own(ctx context.Context) (context.Context, *keeper, diag.List) {
	k := &keeper{plan: p.plan, problem: p.lockProblem}
	if p.plan.Owner == "" || p.offline() {
		return ctx, k, nil
	}
	if p.mode == modeStatus {
		p.looking()
		return ctx, k, nil
	}
	k.targets, k.ownership = targets(p.plan), p.ownership()
	if p.mode.check() {
		k.ownership.ask(ctx, k.connect(ctx, p.connections.Begin))
		if err := k.ownership.choose(); err != nil && ctx.Err() == nil {
			return ctx, k, p.lockProblem(err)
		}
		p.connections.Admit(k.ownership.admit)
		return ctx, k, nil
	}
	within, guard, err := lock.Begin(ctx, p.guardOptions())
	if err != nil {
		return ctx, k, p.lockProblem(err)
	}
	k.Guard = guard
	if len(k.targets) > 0 {
		if err := k.TakeTeam(within); err != nil {
			guard.Release(ctx)
			return ctx, k, p.teamProblem(err)
		}
	}
	if err := k.begin(within, p.connections); err != nil {
		guard.Release(ctx)
		return ctx, k, p.lockProblem(err)
	}
	return within, k, nil
}

// guardOptions returns the properties of the run that the locks need.
func (p *planned) guardOptions() lock.Options {
	emit := func(kind event.Kind) func(host, text string) {
		return func(host, text string) {
			p.options.Events.Emit(event.Event{Time: time.Now(), Kind: kind, Host: host, Message: p.options.Redactor.Redact(text)})
		}
	}
	o := lock.Options{Owner: p.plan.Owner, Token: p.token, Waits: emit(event.RunWaits), Took: emit(event.RunTook)}
	if p.inventory.Lock != nil {
		o.Etcd = new(etcd.Config(p.inventory.Lock.Etcd))
	}
	if p.options.StateDir != "" {
		o.Runs.Folder = filepath.Join(p.options.StateDir, "at-work")
	}
	return o
}

// keeper takes the locks of the connected machines.
type keeper struct {
	*lock.Guard // nil without locks
	plan        *plan.Plan
	targets     []target
	ownership   *ownership
	problem     func(error) diag.List
}

// lasting returns a context that ends only when a lock is lost, or nil without locks.
func (k *keeper) lasting() context.Context {
	if k.Guard == nil {
		return nil
	}
	return k.Lasting()
}

// release gives the locks back, and reports whether one was lost before.
func (k *keeper) release(ctx context.Context) diag.List {
	if k.Guard == nil {
		return nil
	}
	cause := context.Cause(k.Lasting())
	k.Release(ctx)
	if !errors.Is(cause, lock.ErrLost) {
		return nil
	}
	return k.problem(cause)
}

// target is a host that tasks change, and the user of those tasks who takes its lock.
type target struct {
	name string
	as   *plan.Become // nil means the user of the host's settings
}

// targets returns the hosts that the plan's tasks may change, by name.
func targets(p *plan.Plan) []target {
	found := map[string]target{}
	for _, s := range []plan.Section{p.Main, p.OnFailure, p.Always} {
		for _, t := range s.Tasks {
			if t.Skip != "" || t.Host == "" || t.Reads() {
				continue
			}
			if known, ok := found[t.Host]; !ok || better(t.Become, known.as) {
				found[t.Host] = target{name: t.Host, as: t.Become}
			}
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b target) int { return strings.Compare(a.name, b.name) })
}

// better reports whether a is better suited than b to take a lock: root can take it where
// all other users see it.
func better(a, b *plan.Become) bool {
	root := func(b *plan.Become) bool { return b != nil && b.User == "root" }
	return root(a) && !root(b) || a == nil && b != nil && !root(b)
}

// begin locks the hosts that exist before the run, and prepares the locks of the others. A
// task that needs an unreachable host reports it. begin reads the owner's instance before
// it takes locks, because taking a lock may end another run, and reads it again under the
// lock where there was none.
func (k *keeper) begin(ctx context.Context, connections *host.Connections) error {
	connections.Mark(lock.Name(k.Token()))
	machines := k.connect(ctx, connections.As)
	if err := ctx.Err(); err != nil {
		return err
	}
	k.ownership.ask(ctx, machines)
	if err := k.ownership.choose(); err != nil {
		return err
	}
	hosts := lists.Map(machines, func(m *host.Machine) module.Host { return m.Bind("", nil) })
	if err := k.Take(ctx, hosts); err != nil {
		return err
	}
	k.ownership.ask(ctx, machines)
	if err := k.ownership.choose(); err != nil {
		return err
	}
	if err := k.ownership.adoptOld(ctx, machines); err != nil {
		return err
	}
	connections.Admit(k.admit)
	return nil
}

// connect connects to the hosts that exist before the run.
func (k *keeper) connect(ctx context.Context, get func(context.Context, string, *host.Become) (*host.Machine, error)) []*host.Machine {
	found := make([]*host.Machine, len(k.targets))
	var all sync.WaitGroup
	for i, t := range k.targets {
		if k.plan.Declared(t.name) {
			continue
		}
		all.Go(func() {
			found[i], _ = get(ctx, t.name, (*host.Become)(t.as)) // the task that needs the host reports a failure
		})
	}
	all.Wait()
	return slices.DeleteFunc(found, func(m *host.Machine) bool { return m == nil })
}

// admit takes the lock of a machine that tasks change, unless the run has it, and makes all
// commands to it depend on that lock. It takes no lock of machines that are only on the way
// to others.
func (k *keeper) admit(ctx context.Context, m *host.Machine) error {
	if !slices.ContainsFunc(k.targets, func(t target) bool { return t.name == m.Name() }) {
		return k.ownership.admit(ctx, m)
	}
	link, err := k.Guard.Admit(ctx, m.Bind("", nil), k.plan.Declared(m.Name()))
	if err != nil {
		return err
	}
	m.Fence(link, k.Guard)
	return k.ownership.admit(ctx, m)
}

// token identifies a run: user, machine and a unique part.
func token() string {
	return fmt.Sprintf("%s/%d/%s", controller(), os.Getpid(), rand.Text())
}

func controller() string {
	who, where := "somebody", "somewhere"
	if u, err := user.Current(); err == nil {
		who = u.Username
	}
	if name, err := os.Hostname(); err == nil {
		where = name
	}
	return strings.Join(strings.Fields(who), "_") + "@" + where
}

// teamProblem reports why the team's lock could not be taken, and where the inventory
// configures it.
func (p *planned) teamProblem(err error) diag.List {
	diags := p.lockProblem(err)
	if !errors.Is(err, lock.ErrHeld) && !errors.Is(err, context.Canceled) {
		diags[0].Summary = "No lock from etcd"
		diags[0].Detail += ". Without the team's lock nothing is changed."
		diags[0].Subject = &p.inventory.Lock.Range
	}
	return diags
}

func (p *planned) lockProblem(err error) diag.List {
	summary, text := run.Summary(err), p.options.Redactor.Redact(err.Error())
	switch {
	case errors.Is(err, ErrTaken):
		summary = "The name is taken"
		text = strings.TrimPrefix(text, ErrTaken.Error()+": ") + "."
	case errors.Is(err, lock.ErrHeld):
		summary = "Another run is at work"
		text += ". Wait for it to end; a run that has died gives its lock up within half a minute."
	case errors.Is(err, lock.ErrLost):
		summary = "The run has lost its lock"
		text += ". It has stopped, so that two runs do not work at once; what it had begun is brought about by the next run."
	}
	return diag.List{{Summary: summary, Detail: text, Cause: err}}
}

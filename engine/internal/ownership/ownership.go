// Package ownership makes sure that a run works alone on what its owner has, and only on the
// instance that is the run's: it takes the locks of the hosts, and finds out which instance has
// the owner's name on each of them.
package ownership

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/etcd"
	"kinit/engine/internal/host"
	"kinit/engine/internal/instance"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/lock"
	"kinit/engine/internal/plan"
	"kinit/engine/lists"
	"kinit/engine/module"
)

// Run is what a run's locks and instance depend on.
type Run struct {
	Plan        *plan.Plan
	Cluster     bool // the plan is of a cluster
	Connections *host.Connections
	Token       string          // as NewToken makes it
	Team        *inventory.Lock // where the locks of a team are; nil for none
	StateDir    string          // of the controller, for the runs that are at work; empty keeps none
	Memory      instance.Memory
	Fresh       instance.Instance // used if no host has one
	Backup      string            // the instance of the backup that is restored, or ""
	Job         string            // the periodic job of the run, or ""
	Adopt       bool              // accepts instances that the controller does not know
	Reads       bool              // the run changes nothing
	Events      event.Sink
	Redact      func(string) string
}

// NewToken returns a token that identifies a run: user, machine and a unique part.
func NewToken() string {
	return fmt.Sprintf("%s/%d/%s", instance.Controller(), os.Getpid(), rand.Text())
}

// Look makes the connections use the marks on the hosts whatever their instance, for callers that only read.
func Look(r Run) {
	if r.Plan.Owner != "" {
		r.Connections.Admit(r.choice(targets(r.Plan)).asFound)
	}
}

// Take makes sure that only this run works on what the plan's owner has, until Held.Release. It
// takes the team's lock, if an inventory configures one, and the lock on each host that tasks
// change; it locks hosts that become reachable later when they do. A run that changes nothing
// takes no lock; it is refused if the owner's name is taken. The returned context ends when a
// lock is lost or the run is interrupted. A plan without an owner has nothing to take.
func Take(ctx context.Context, r Run) (context.Context, *Held, diag.List) {
	if r.Plan.Owner == "" {
		return ctx, &Held{}, nil
	}
	targets := targets(r.Plan)
	h := &Held{run: r, targets: targets, choice: r.choice(targets)}
	if r.Reads {
		h.choice.ask(ctx, h.connect(ctx, r.Connections.Begin))
		if err := h.choice.choose(); err != nil && ctx.Err() == nil {
			return ctx, h, r.problem(err)
		}
		r.Connections.Admit(h.choice.admit)
		return ctx, h, nil
	}
	within, guard, err := lock.Begin(ctx, r.guardOptions())
	if err != nil {
		return ctx, h, r.problem(err)
	}
	h.guard = guard
	if len(targets) > 0 {
		if err := guard.TakeTeam(within); err != nil {
			guard.Release(ctx)
			return ctx, h, r.teamProblem(err)
		}
	}
	if err := h.begin(within); err != nil {
		guard.Release(ctx)
		return ctx, h, r.problem(err)
	}
	return within, h, nil
}

// guardOptions returns the properties of the run that the locks need.
func (r Run) guardOptions() lock.Options {
	emit := func(kind event.Kind) func(host, text string) {
		return func(host, text string) {
			r.Events.Emit(event.Event{Time: time.Now(), Kind: kind, Host: host, Message: r.Redact(text)})
		}
	}
	o := lock.Options{Owner: r.Plan.Owner, Token: r.Token, Waits: emit(event.RunWaits), Took: emit(event.RunTook)}
	if r.Team != nil {
		o.Etcd = new(etcd.Config(r.Team.Etcd))
	}
	if r.StateDir != "" {
		o.Runs.Folder = filepath.Join(r.StateDir, "at-work")
	}
	return o
}

// Held is what a run has taken, and takes of machines that it reaches later. The zero value has
// nothing.
type Held struct {
	run     Run
	guard   *lock.Guard // nil without locks
	targets []target
	choice  *choice // nil without an owner
}

// Lasting returns a context that ends only when a lock is lost, or nil without locks.
func (h *Held) Lasting() context.Context {
	if h.guard == nil {
		return nil
	}
	return h.guard.Lasting()
}

// Release gives the locks back, and reports whether one was lost before.
func (h *Held) Release(ctx context.Context) diag.List {
	if h.guard == nil {
		return nil
	}
	cause := context.Cause(h.guard.Lasting())
	h.guard.Release(ctx)
	if !errors.Is(cause, lock.ErrLost) {
		return nil
	}
	return h.run.problem(cause)
}

// Instance returns the id of the instance that the run works on, or "" if nothing says which.
func (h *Held) Instance() string {
	if h.choice == nil {
		return ""
	}
	return h.choice.chosen.ID
}

// Forget notes that a clean-up has left nothing of the owner on some hosts, so that later runs do not ask them.
func (h *Held) Forget(ctx context.Context) diag.List {
	if h.choice == nil {
		return nil
	}
	owner := h.run.Plan.Owner
	var clean []string
	for _, m := range h.connect(ctx, h.run.Connections.As) {
		if found, err := m.Found(ctx, owner); err == nil && found.Nothing() {
			clean = append(clean, m.Name())
		}
	}
	if err := h.run.Memory.Forget(owner, clean); err != nil {
		return diag.List{{Warning: true, Summary: "State not written", Detail: err.Error() + ". Later runs on other hosts ask these hosts whether the cluster is still there.", Cause: err}}
	}
	return nil
}

// begin locks the hosts that exist before the run, and prepares the locks of the others. A
// task that needs an unreachable host reports it. begin reads the owner's instance before
// it takes locks, because taking a lock may end another run, and reads it again under the
// lock where there was none.
func (h *Held) begin(ctx context.Context) error {
	h.run.Connections.Mark(lock.Name(h.guard.Token()))
	machines := h.connect(ctx, h.run.Connections.As)
	if err := ctx.Err(); err != nil {
		return err
	}
	h.choice.ask(ctx, machines)
	if err := h.choice.choose(); err != nil {
		return err
	}
	hosts := lists.Map(machines, func(m *host.Machine) module.Host { return m.Bind("", nil) })
	if err := h.guard.Take(ctx, hosts); err != nil {
		return err
	}
	h.choice.ask(ctx, machines)
	if err := h.choice.choose(); err != nil {
		return err
	}
	if err := h.choice.adoptFound(ctx, machines); err != nil {
		return err
	}
	h.run.Connections.Admit(h.admit)
	return nil
}

// connect connects to the hosts that exist before the run.
func (h *Held) connect(ctx context.Context, get func(context.Context, string, *host.Become) (*host.Machine, error)) []*host.Machine {
	found := make([]*host.Machine, len(h.targets))
	var all sync.WaitGroup
	for i, t := range h.targets {
		if h.run.Plan.Declared(t.name) {
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
func (h *Held) admit(ctx context.Context, m *host.Machine) error {
	if !slices.ContainsFunc(h.targets, func(t target) bool { return t.name == m.Name() }) {
		return h.choice.admit(ctx, m)
	}
	link, err := h.guard.Admit(ctx, m.Bind("", nil), h.run.Plan.Declared(m.Name()))
	if err != nil {
		return err
	}
	m.Fence(link, h.guard)
	return h.choice.admit(ctx, m)
}

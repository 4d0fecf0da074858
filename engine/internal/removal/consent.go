// Package removal decides what a run may remove: what a flag or a command names, and what the user has confirmed.
package removal

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/input"
	"kinit/engine/internal/run"
	"kinit/engine/internal/topology"
	"kinit/engine/lists"
	"kinit/engine/module"
)

// Confirm asks whether a run may remove what no flag names. It should return when ctx
// ends. It is called by one goroutine at a time; an error refuses the run, or fails the task that
// removes.
type Confirm func(ctx context.Context, removals []event.Removal) (bool, error)

// Options is what names removals.
type Options struct {
	Inputs   input.Inputs
	Confirm  Confirm                     // asked about removals that nothing names; nil refuses them
	Names    func(names []string) string // how the user names removals; nil means by a flag
	Rebuilds bool                        // an earlier run has cleaned up for --recreate, which also names the removals of this one
	Saved    bool                        // the plan was saved, with its flags
	Redact   func(string) string
}

// Consent knows what a run may remove.
type Consent struct {
	Planned []event.Removal // what is known before the tasks look at their hosts; By says what names each

	options Options
	cluster string
	nodes   []string          // names that objects may begin with
	ports   map[string]string // nodes by the names of their ports
}

// New returns what may be removed with a topology, nil without a cluster. planned is what is known before the tasks look
// at their hosts.
func New(o Options, t *topology.Topology, planned []event.Removal) *Consent {
	c := &Consent{options: o, Planned: planned}
	if t != nil {
		c.cluster, c.nodes, c.ports = t.Cluster.Name, t.KnownNodes, t.NodePorts
	}
	for i := range c.Planned {
		c.Planned[i].By = cmp.Or(c.Planned[i].By, c.rebuilds())
	}
	return c
}

// rebuilds returns what names all removals of a run that rebuilds what one before it has removed, or "".
func (c *Consent) rebuilds() string {
	if c.options.Rebuilds {
		return "--recreate"
	}
	return ""
}

// Confirmed asks, before anything changes, about all that is to be removed and that nothing names. It returns
// why the run is refused.
func (c *Consent) Confirmed(ctx context.Context) diag.List {
	unnamed := event.Unnamed(c.Planned)
	if len(unnamed) == 0 {
		return nil
	}
	yes, err := c.ask(ctx, unnamed)
	switch {
	case ctx.Err() != nil:
		return diag.List{{Summary: "Interrupted", Detail: "Nothing was removed, and nothing was changed.", Cause: ctx.Err()}}
	case err != nil:
		return diag.List{{Summary: "No answer", Detail: err.Error() + ". Nothing was changed.\n\n" + c.advice(unnamed), Cause: err}}
	case !yes && c.options.Confirm != nil:
		return diag.List{{Summary: "Removals declined", Detail: "Nothing was changed."}}
	case !yes:
		return diag.List{{Summary: "Removals not named", Detail: "The run would remove, and no flag names:\n\n" + objectList(unnamed) + "\n\nNothing was changed. " + c.advice(unnamed)}}
	}
	for i := range c.Planned {
		if c.Planned[i].By == "" {
			c.Planned[i].By = answered
		}
	}
	return nil
}

// answered is what names removals that were confirmed.
const answered = "your answer"

func (c *Consent) ask(ctx context.Context, unnamed []event.Removal) (bool, error) {
	if c.options.Confirm == nil {
		return false, nil
	}
	return c.options.Confirm(ctx, unnamed)
}

// advice says how removals are named.
func (c *Consent) advice(unnamed []event.Removal) string {
	flag := event.RemoveFlags(unnamed)
	if c.options.Names != nil {
		return fmt.Sprintf("To remove them, %s. To keep them, change the spec or the other arguments.", c.options.Names(event.RemovedNames(unnamed)))
	}
	if c.options.Saved {
		return fmt.Sprintf("To remove them, make a new plan with %s. To keep them, make it of another spec or with other flags.", flag)
	}
	return fmt.Sprintf("To remove them, give %s or answer on a terminal. To keep them, change the spec or the other flags.", flag)
}

func objectList(removals []event.Removal) string {
	return strings.Join(lists.Map(removals, func(r event.Removal) string { return "  " + r.Object() + ": " + r.Why }), "\n")
}

// Gate decides about what the steps of a task remove on a host. Its error fails the task before it
// has changed anything.
func (c *Consent) Gate(ctx context.Context, host string, removed []module.Removed) error {
	unnamed := event.Unnamed(c.ofSteps(host, removed))
	if len(unnamed) == 0 {
		return nil
	}
	yes, err := c.ask(ctx, unnamed)
	switch {
	case err != nil:
		return err
	case !yes && c.options.Confirm != nil:
		return diag.List{{Summary: "Removals declined", Detail: "The task has changed nothing:\n\n" + objectList(unnamed)}}
	case !yes:
		return diag.List{{Summary: "Removals not named", Detail: "The task would remove, with what they hold, and no flag names:\n\n" + objectList(unnamed) + "\n\nThe task has changed nothing. " + c.advice(unnamed)}}
	}
	return nil
}

// All returns the removals of a run or plan: those that were known before its tasks, and what these found.
func (c *Consent) All(results []run.TaskResult) []event.Removal {
	found := slices.Clone(c.Planned)
	for _, result := range results {
		found = append(found, c.ofSteps(result.Host, result.Removes)...)
	}
	return found
}

// Once makes a Confirm ask about each removal once, and one question at a time.
func Once(confirm Confirm) Confirm {
	if confirm == nil {
		return nil
	}
	var mu sync.Mutex
	var known []event.Removal
	return func(ctx context.Context, removals []event.Removal) (bool, error) {
		mu.Lock()
		defer mu.Unlock()
		open := slices.DeleteFunc(slices.Clone(removals), func(r event.Removal) bool { return slices.Contains(known, r) })
		if len(open) == 0 {
			return true, nil
		}
		yes, err := confirm(ctx, open)
		if yes && err == nil {
			known = append(known, open...)
		}
		return yes, err
	}
}

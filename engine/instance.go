package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"kinit/engine/internal/host"
	"kinit/engine/internal/instance"
	"kinit/engine/lists"
)

// ErrTaken is the cause when another instance has the owner's name on a host.
var ErrTaken = errors.New("the owner's name is taken")

// ownership holds which instance has the owner's name on each host, and which one the run
// uses.
type ownership struct {
	owner  string
	memory instance.Memory
	fresh  instance.Instance // used by the run if no host has one
	backup string            // the instance of the backup that is restored, or ""
	job    string            // the periodic job of the run, or ""
	adopt  bool              // accepts instances that the controller does not know
	reads  bool              // the run changes nothing

	mu     sync.Mutex
	found  map[string]host.Found // by the name of a host that has answered
	chosen instance.Instance     // the run's instance, once it is known
	hosts  []string              // hosts that tasks may change
}

// ownership begins to find out which instance has the owner's name.
func (p *planned) ownership() *ownership {
	c := &ownership{owner: p.plan.Owner, memory: p.memory(), fresh: p.fresh, backup: p.options.Restore.Instance, job: p.options.Job.Name, adopt: p.options.Adopt, reads: p.mode.check(), found: map[string]host.Found{}}
	for _, t := range targets(p.plan) {
		if !p.plan.Declared(t.name) {
			c.hosts = append(c.hosts, t.name)
		}
	}
	return c
}

// ask asks machines that were not asked yet or had no instance then. A task that needs an
// unreachable machine asks it again.
func (c *ownership) ask(ctx context.Context, machines []*host.Machine) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	var all sync.WaitGroup
	for _, m := range machines {
		if before, _ := c.of(m); before.There() || before.Old {
			continue
		}
		all.Go(func() {
			if found, err := m.Found(ctx, c.owner); err == nil {
				c.note(m.Name(), found)
			}
		})
	}
	all.Wait()
}

func (c *ownership) note(name string, found host.Found) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found[name] = found
}

// of returns what a machine has answered, and whether it has.
func (c *ownership) of(m *host.Machine) (host.Found, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, asked := c.found[m.Name()]
	return found, asked
}

// choose selects the instance that the run works on: the one on the hosts, or a new one. It
// returns an error if the run may not use it.
func (c *ownership) choose() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	holders := c.holders()
	switch {
	case len(holders) == 0:
		return c.chooseUnseen()
	case len(holders) > 1 && !c.adopt:
		return fmt.Errorf("%w: %s stands for different things on the hosts: %s. Nothing was changed. Choose hosts that have the same, or another name: that of the cluster, or the owner of the spec; or work on all of them with --adopt",
			ErrTaken, c.owner, together(holders))
	}
	c.chosen = c.fresh
	for _, h := range slices.Backward(holders) {
		known, err := c.memory.Knows(h.ID)
		if err != nil {
			return err
		}
		if c.backup != "" && h.ID != c.backup && !c.adopt {
			return c.other(h)
		}
		if !known && !c.adopt && c.backup == "" {
			return c.taken(h)
		}
		if h.There() {
			c.chosen = h.Instance
		}
		if err := c.remember(h.Instance); err != nil {
			return err
		}
	}
	c.chosen.Unmarked = false
	return nil
}

// chooseUnseen chooses when no asked host has an instance: one that the controller may have
// on other hosts, which do not answer or are not part of this run, or a new one. The choice
// is recorded when it is first used.
func (c *ownership) chooseUnseen() error {
	if c.backup != "" {
		c.chosen = c.fresh // what survives elsewhere has marks of this instance
		return nil
	}
	known, there, err := c.memory.Beside(c.owner, slices.Collect(maps.Keys(c.found)))
	if c.chosen = c.fresh; there {
		c.chosen = known
		c.chosen.Unmarked = false
	}
	return err
}

// remember records an instance as one of the controller's, unless the run only reads.
func (c *ownership) remember(i instance.Instance) error {
	if c.reads {
		return nil
	}
	return c.memory.Remember(instance.Known{Instance: i, Owner: c.owner, Hosts: c.hosts})
}

// holder is an instance, or marks older than instances, and the hosts that have it.
type holder struct {
	host.Found
	hosts []string
}

// holders groups the hosts by the instance that they reported.
func (c *ownership) holders() []*holder {
	all := map[string]*holder{}
	for name, found := range c.found {
		if found.Nothing() {
			continue
		}
		if all[found.ID] == nil {
			all[found.ID] = &holder{Found: found}
		}
		all[found.ID].hosts = append(all[found.ID].hosts, name)
	}
	for _, h := range all {
		slices.Sort(h.hosts)
	}
	return slices.SortedFunc(maps.Values(all), func(a, b *holder) int { return strings.Compare(a.hosts[0], b.hosts[0]) })
}

// taken returns the error for an owner's name that another instance has.
func (c *ownership) taken(h *holder) error {
	where := list(h.hosts)
	if c.job != "" {
		why := fmt.Sprintf("no run of the job %q made %s on %s: %s. The job removes what it deploys, so it works only on what its own runs have made", c.job, c.owner, where, madeBy(h.Found))
		if adopted, _ := c.memory.WasAdopted(h.ID); adopted {
			why = fmt.Sprintf("a command outside the job %q has adopted %s on %s: %s. The job removes what it deploys, so it leaves that alone", c.job, c.owner, where, madeBy(h.Found))
		}
		return fmt.Errorf("%w: %s. Nothing was changed. To keep what is there, give the job a spec with another name: that of the cluster, or the owner of the spec. Else remove what is there first; or give --adopt, and the job takes it over and removes it",
			ErrTaken, why)
	}
	whose := fmt.Sprintf("%s on %s is not known here: %s", c.owner, where, origin(h.Found))
	if h.Old {
		whose = fmt.Sprintf("%s on %s %s, so its owner is unknown", c.owner, where, origin(h.Found))
	}
	return fmt.Errorf("%w: %s. Nothing was changed. To work on it from here too, give --adopt; to have one of your own beside it, choose another name: that of the cluster, or the owner of the spec",
		ErrTaken, whose)
}

// other returns the error for a backup of another instance than the one on the hosts.
func (c *ownership) other(h *holder) error {
	return fmt.Errorf("%w: the backup is of another %s than the one on %s: %s. Nothing was changed. To restore it all the same, give --adopt; or remove what is there first",
		ErrTaken, c.owner, list(h.hosts), origin(h.Found))
}

func origin(f host.Found) string {
	if f.Old {
		return "was made by a version of kinit that noted no instance"
	}
	text := fmt.Sprintf("%s made it on %s", f.By, f.Made.UTC().Format("2006-01-02 at 15:04:05 MST"))
	if f.Spec != "" {
		text += " from " + f.Spec
	}
	if f.Job != "" {
		text += fmt.Sprintf(" in the job %q", f.Job)
	}
	return text
}

// madeBy is origin as a clause with a subject.
func madeBy(f host.Found) string {
	if f.Old {
		return "it " + origin(f)
	}
	return origin(f)
}

func together(holders []*holder) string {
	return strings.Join(lists.Map(holders, func(h *holder) string {
		return "on " + list(h.hosts) + ", " + madeBy(h.Found)
	}), "; ")
}

func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// admit makes a machine use the marks of the instance that it has, or of the run's. A
// machine that answers late may have another instance.
func (c *ownership) admit(ctx context.Context, m *host.Machine) error {
	mine := c.chosen
	begin := func() error { return c.remember(mine) }
	if !slices.Contains(c.hosts, m.Name()) {
		m.Belongs(mine, begin)
		return nil
	}
	found, asked := c.of(m)
	if !asked {
		var err error
		if found, err = m.Found(ctx, c.owner); err != nil {
			return err
		}
		c.note(m.Name(), found)
	}
	if !c.adopt && (found.Old || found.There() && found.ID != c.chosen.ID) {
		return fmt.Errorf("%w: %s on %s is another one than that of this run: %s", ErrTaken, c.owner, m.Name(), origin(found))
	}
	if found.There() {
		mine = found.Instance
	}
	mine.Unmarked = mine.Unmarked || found.Old
	m.Belongs(mine, begin)
	if !found.Old || c.reads {
		return nil
	}
	if err := m.Adopt(ctx, c.owner); err != nil {
		return err
	}
	c.note(m.Name(), host.Found{Instance: mine})
	return nil
}

// adoptOld records the run's instance on machines with marks of no instance.
func (c *ownership) adoptOld(ctx context.Context, machines []*host.Machine) error {
	for _, m := range machines {
		if found, _ := c.of(m); !found.Old {
			continue
		}
		if err := c.admit(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// asFound uses the marks on a machine whatever their instance, for callers that only read.
func (c *ownership) asFound(ctx context.Context, m *host.Machine) error {
	if !slices.Contains(c.hosts, m.Name()) {
		return nil
	}
	found, err := m.Found(ctx, c.owner)
	if err != nil {
		return err
	}
	if found.There() {
		m.Belongs(found.Instance, nil)
	}
	return nil
}

// looking prepares the connections for callers that only read.
func (p *planned) looking() {
	if p.plan.Owner != "" {
		p.connections.Admit(p.ownership().asFound)
	}
}

// askLimit is how long hosts may take at the beginning to report the instance of the owner's
// name. A task that needs a slower host asks it again.
const askLimit = 30 * time.Second

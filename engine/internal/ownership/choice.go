package ownership

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"kinit/engine/internal/host"
	"kinit/engine/internal/instance"
)

// choice holds which instance has the owner's name on each host, and which one the run
// uses.
type choice struct {
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

func (r Run) choice(targets []target) *choice {
	r.Fresh.Plain = !r.Cluster
	c := &choice{owner: r.Plan.Owner, memory: r.Memory, fresh: r.Fresh, backup: r.Backup, job: r.Job, adopt: r.Adopt, reads: r.Reads, found: map[string]host.Found{}}
	for _, t := range targets {
		if !r.Plan.Declared(t.name) {
			c.hosts = append(c.hosts, t.name)
		}
	}
	return c
}

// ask asks machines that were not asked yet or had no instance then. A task that needs an
// unreachable machine asks it again.
func (c *choice) ask(ctx context.Context, machines []*host.Machine) {
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

func (c *choice) note(name string, found host.Found) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found[name] = found
}

// of returns what a machine has answered, and whether it has.
func (c *choice) of(m *host.Machine) (host.Found, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, asked := c.found[m.Name()]
	return found, asked
}

// choose selects the instance that the run works on: the one on the hosts, or a new one. It
// returns an error if the run may not use it.
func (c *choice) choose() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	holders := c.holders()
	switch {
	case len(holders) == 0:
		return c.chooseUnseen()
	case len(holders) > 1 && !c.adopt:
		return fmt.Errorf("%w: %s stands for different things on the hosts: %s. Nothing was changed. Choose hosts that have the same, or another name: that of the cluster, or the owner of the spec; or work on all of them with --adopt",
			instance.ErrTaken, c.owner, together(holders))
	}
	c.chosen = c.fresh
	for _, h := range slices.Backward(holders) {
		if err := c.otherKind(h); err != nil {
			return err
		}
		known, err := c.memory.Owns(h.Instance)
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
			c.chosen = c.adopts(h.Instance)
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
func (c *choice) chooseUnseen() error {
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
func (c *choice) remember(i instance.Instance) error {
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
func (c *choice) holders() []*holder {
	all := map[string]*holder{}
	for name, found := range c.found {
		if found.Nothing() {
			continue
		}
		if all[found.ID] == nil {
			all[found.ID] = &holder{Found: found}
		}
		all[found.ID].Adopted = cmp.Or(all[found.ID].Adopted, found.Adopted)
		all[found.ID].Cluster = all[found.ID].Cluster || found.Cluster
		all[found.ID].hosts = append(all[found.ID].hosts, name)
	}
	for _, h := range all {
		slices.Sort(h.hosts)
	}
	return slices.SortedFunc(maps.Values(all), func(a, b *holder) int { return strings.Compare(a.hosts[0], b.hosts[0]) })
}

// admit makes a machine use the marks of the instance that it has, or of the run's. A
// machine that answers late may have another instance.
func (c *choice) admit(ctx context.Context, m *host.Machine) error {
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
	if err := c.otherKind(&holder{Found: found, hosts: []string{m.Name()}}); err != nil {
		return err
	}
	if !c.adopt && (found.Old || found.There() && found.ID != c.chosen.ID) {
		return fmt.Errorf("%w: %s on %s is another one than that of this run: %s", instance.ErrTaken, c.owner, m.Name(), found.Origin())
	}
	if found.There() {
		mine = c.adopts(found.Instance)
	}
	mine.Unmarked = mine.Unmarked || found.Old
	m.Belongs(mine, begin)
	if !c.records(found) {
		return nil
	}
	if err := m.Adopt(ctx, c.owner); err != nil {
		return err
	}
	c.note(m.Name(), host.Found{Instance: mine})
	return nil
}

// adopts returns an instance as the run leaves it: a command that adopts what a job has made says so on the hosts, so that the
// job leaves it alone, wherever the command ran. A job that adopts it takes that back.
func (c *choice) adopts(i instance.Instance) instance.Instance {
	switch {
	case !c.adopt || i.Job == "":
	case c.job != "":
		i.Adopted = ""
	case i.Adopted == "":
		i.Adopted = c.fresh.By
	}
	return i
}

// records reports whether the run writes the instance on a machine when it begins, not with the first mark.
func (c *choice) records(found host.Found) bool {
	return !c.reads && (found.Old || found.There() && c.adopts(found.Instance) != found.Instance)
}

// adoptFound records the run's instance on machines with marks of no instance, or of one that it adopts from a job.
func (c *choice) adoptFound(ctx context.Context, machines []*host.Machine) error {
	for _, m := range machines {
		if found, _ := c.of(m); !c.records(found) {
			continue
		}
		if err := c.admit(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// asFound uses the marks on a machine whatever their instance, for callers that only read.
func (c *choice) asFound(ctx context.Context, m *host.Machine) error {
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

// askLimit is how long hosts may take at the beginning to report the instance of the owner's
// name. A task that needs a slower host asks it again.
const askLimit = 30 * time.Second

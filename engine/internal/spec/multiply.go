package spec

import (
	"fmt"
	"slices"

	"kinit/engine/lists"
)

// Copy returns a copy that Multiply may change: evaluating a spec again, as with other
// selections, starts from the spec as it was read.
func (s *Spec) Copy() *Spec {
	made, c := *s, newCopier()
	made.Root = c.namespace(s.Root, nil)
	made.Blocks, made.Tasks, made.Handlers = lists.Map(s.Blocks, c.block), lists.Map(s.Tasks, c.task), lists.Map(s.Handlers, c.task)
	made.Hosts, made.Checks = lists.Map(s.Hosts, c.host), lists.Map(s.Checks, c.check)
	made.Stages = lists.Map(s.Stages, c.stage)
	c.secrets()
	return &made
}

// Multiply replaces an import with for_each by one for each key, with everything in it. The
// copies have addresses such as import.shop["a"].task.file.motd.
func (s *Spec) Multiply(n *Namespace, keys []string) []*Namespace {
	copies := make([]*copier, len(keys))
	names := make([]*Namespace, len(keys))
	for i, key := range keys {
		copies[i] = newCopier()
		names[i] = copies[i].namespace(n, n.Parent)
		names[i].Key = key
		names[i].repath(fmt.Sprintf("import.%s[%q].", n.Label, key))
	}
	s.Blocks = multiplied(s.Blocks, copies, func(b *Block) *Namespace { return b.In }, (*copier).block, n)
	s.Tasks = multiplied(s.Tasks, copies, func(t *Task) *Namespace { return t.In }, (*copier).task, n)
	s.Handlers = multiplied(s.Handlers, copies, func(t *Task) *Namespace { return t.In }, (*copier).task, n)
	s.Hosts = multiplied(s.Hosts, copies, func(h *Host) *Namespace { return h.In }, (*copier).host, n)
	s.Checks = multiplied(s.Checks, copies, func(c *Check) *Namespace { return c.In }, (*copier).check, n)
	for i, stage := range s.Stages {
		s.Stages[i] = stage.multiplied(copies, n)
	}
	for _, c := range copies {
		c.secrets()
	}
	imports := n.Parent.Imports
	at := slices.Index(imports, n)
	n.Parent.Imports = slices.Concat(imports[:at], names, imports[at+1:])
	if n.Parent.Keys == nil {
		n.Parent.Keys = map[string][]string{}
	}
	n.Parent.Keys[n.Label] = keys
	return names
}

// multiplied replaces what is in a namespace by its copies, those of one key together, at the
// place of the first.
func multiplied[T any](all []T, copies []*copier, in func(T) *Namespace, copied func(*copier, T) T, n *Namespace) []T {
	var inside, result []T
	at := -1
	for _, one := range all {
		if !in(one).Within(n) {
			result = append(result, one)
			continue
		}
		if at < 0 {
			at = len(result)
		}
		inside = append(inside, one)
	}
	var made []T
	for _, c := range copies {
		for _, one := range inside {
			made = append(made, copied(c, one))
		}
	}
	return slices.Insert(result, max(at, 0), made...)
}

// multiplied replaces the declarations of a stage in a namespace. Without any copy the stage
// stays, as it is common to all.
func (s *Stage) multiplied(copies []*copier, n *Namespace) *Stage {
	var all []*Stage
	for _, d := range s.Declarations() {
		if !d.In.Within(n) {
			all = append(all, d)
			continue
		}
		for _, c := range copies {
			one := *d
			one.In, one.Others = c.names[d.In], nil
			all = append(all, &one)
		}
	}
	first := &Stage{Name: s.Name, Range: s.Range, In: n.Parent, afterRange: s.afterRange}
	if len(all) > 0 {
		one := *all[0]
		first, all = &one, all[1:]
	}
	first.After, first.Others = s.After, all
	return first
}

// copier makes one copy of a namespace.
type copier struct {
	names  map[*Namespace]*Namespace
	blocks map[*Block]*Block
	tasks  map[*Task]*Task
}

func newCopier() *copier {
	return &copier{names: map[*Namespace]*Namespace{}, blocks: map[*Block]*Block{}, tasks: map[*Task]*Task{}}
}

func (c *copier) namespace(n, parent *Namespace) *Namespace {
	made := *n
	made.Parent, made.ForEach, made.Imports, made.Keys = parent, n.ForEach, nil, nil
	c.names[n] = &made
	for _, inner := range n.Imports {
		made.Imports = append(made.Imports, c.namespace(inner, &made))
	}
	return &made
}

// repath sets the path of a copy, whose last part is given, and of all within.
func (n *Namespace) repath(last string) {
	n.path = n.Parent.path + last
	for _, inner := range n.Imports {
		inner.repath("import." + inner.Label + ".")
	}
}

func (c *copier) block(b *Block) *Block {
	if b == nil || c.names[b.In] == nil {
		return b // around the import
	}
	if c.blocks[b] == nil {
		made := *b
		c.blocks[b] = &made
		made.In, made.Outer = c.names[b.In], c.block(b.Outer)
	}
	return c.blocks[b]
}

func (c *copier) task(t *Task) *Task {
	made := *t
	made.In, made.Block = c.names[t.In], c.block(t.Block)
	c.tasks[t] = &made
	return &made
}

func (c *copier) stage(s *Stage) *Stage {
	made := *s
	made.In, made.Others = c.names[s.In], lists.Map(s.Others, c.stage)
	return &made
}

func (c *copier) host(h *Host) *Host {
	made := *h
	made.In = c.names[h.In]
	return &made
}

func (c *copier) check(k *Check) *Check {
	made := *k
	made.In = c.names[k.In]
	return &made
}

// secrets lets the secrets of the copy name the copied tasks, and its imports the copied
// blocks.
func (c *copier) secrets() {
	for _, n := range c.names {
		n.Block = c.block(n.Block)
		all := slices.Clone(n.Secrets)
		for i, one := range all {
			if one.Task != nil {
				made := *one
				made.Task = c.tasks[one.Task]
				all[i] = &made
			}
		}
		n.Secrets = all
	}
}

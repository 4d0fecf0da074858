// Package plan turns a spec, hosts and modules into a plan: one task per instance with its
// host and its place in a graph. After Build the tasks, hosts and edges do not change.
package plan

import (
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine/graph"
	"kinit/engine/internal/eval"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/plan/dag"
	"kinit/engine/internal/plan/expand"
	"kinit/engine/internal/plan/refs"
	"kinit/engine/internal/plan/selection"
	"kinit/engine/internal/spec"
	"kinit/engine/internal/topology"
	"kinit/engine/module"
)

// Input is the input of Build.
type Input struct {
	Spec      *spec.Spec
	Scope     *eval.Scope // after SetCluster
	Inventory *inventory.Inventory
	Hosts     []*inventory.Host  // the selected hosts
	Topology  *topology.Topology // nil without a cluster
	Kinds     []module.Kind
	Selection Selection
}

// Plan is what a run does. A run does not change it. It is safe for use by several
// goroutines.
type Plan struct {
	Cluster   string   // the cluster's name, empty without one
	Owner     string   // the owner of what tasks make: the cluster, or the spec's owner; empty means no owner
	Stages    []string // each after those it names
	Main      Section
	OnFailure Section // done after Main if one of its tasks failed
	Always    Section // done last, whatever happened
	Checks    []*Check
	Outputs   []*Output
	LeftOut   []string             // addresses of tasks that were not selected
	Sources   map[string]*hcl.File // for snippets

	refs *refs.Refs
}

// Types of the packages that make a plan, for the run.
type (
	Key       = dag.Key
	Gate      = dag.Gate
	Member    = dag.Task
	Ways      = expand.Ways
	Become    = refs.Become
	Values    = refs.Values
	Outcome   = refs.Outcome
	Selection = selection.Flags
)

// The roles of the tasks of a block.
const (
	Normal  = expand.Normal
	Rescue  = expand.Rescue
	Cleanup = expand.Cleanup
)

// Section holds tasks and their order. A key of the graph that has no task is virtual: a
// stage's begin or end, or a task that was not selected.
type Section struct {
	Graph *graph.Graph[Key]
	Tasks []*Task // in plan order: stage, then place in the files, then key

	byAddress map[string]*Task
	gates     map[Key]*Gate
	begins    map[Key]bool // of stages
}

// Task is one instance of a task block on one host, or of a handler for one host
// and the tasks that notify it before the same end of a stage, or before the same
// tasks that flush handlers.
type Task struct {
	*dag.Task
	plan *Plan
}

// Leaving reports whether the run gets to where nodes leave: to the tasks that read the record
// without them, cluster.record.left. A playbook without such tasks may remove nodes anywhere.
func (p *Plan) Leaving() bool {
	leaving := func(b *refs.Block) bool { return slices.ContainsFunc(b.Late(), readsLeft) }
	if !slices.ContainsFunc(p.refs.Blocks, leaving) {
		return true
	}
	return slices.ContainsFunc(p.Main.Tasks, func(t *Task) bool { return leaving(t.Block) })
}

// Remembers reports whether no task of the playbook ever reads the record without the nodes that leave: the cluster
// keeps them for good.
func (p *Plan) Remembers() bool {
	return !slices.ContainsFunc(p.refs.Blocks, func(b *refs.Block) bool { return slices.ContainsFunc(b.Late(), readsLeft) })
}

// MayNotify reports whether the spec has a task block that notifies a handler block; both addresses are without
// the keys of instances and imports.
func (p *Plan) MayNotify(task, handler string) bool {
	return slices.ContainsFunc(p.refs.Set.Blocks, func(b *expand.Block) bool {
		return b.Spec.PlainAddress() == task && slices.ContainsFunc(b.Notifies, func(n expand.Notice) bool { return n.Handler.Spec.PlainAddress() == handler })
	})
}

// Forgets reports whether a task writes the record without the nodes that leave.
func (p *Plan) Forgets() bool {
	return slices.ContainsFunc(p.Main.Tasks, func(t *Task) bool { return t.Skip == "" && slices.ContainsFunc(t.Block.Late(), readsLeft) })
}

// Sweeps reports whether a task removes what the playbook no longer declares.
func (p *Plan) Sweeps() bool {
	return slices.ContainsFunc(slices.Concat(p.Main.Tasks, p.OnFailure.Tasks, p.Always.Tasks), (*Task).Sweeps)
}

// readsLeft reports whether an expression reads cluster.record.left.
func readsLeft(expr hcl.Expression) bool {
	return slices.ContainsFunc(expr.Variables(), func(t hcl.Traversal) bool {
		if t.RootName() != "cluster" || len(t) < 3 {
			return false
		}
		record, _ := expand.StepKey(t[1])
		left, _ := expand.StepKey(t[2])
		return record == "record" && left == "left"
	})
}

// Task returns the section's task with an address, or nil.
func (s Section) Task(address string) *Task { return s.byAddress[address] }

// At returns the task of a key, or the gate to check when a virtual key is reached; both
// may be nil.
func (s Section) At(key Key) (*Task, *Gate) {
	if key.Kind == dag.OfTask {
		return s.byAddress[key.Name], nil
	}
	return nil, s.gates[key]
}

// Begins reports whether a key is the begin of a stage.
func (s Section) Begins(key Key) bool { return s.begins[key] }

// Gates lists the gates of stages and batches, by their keys.
func (s Section) Gates() []*Gate {
	return slices.SortedFunc(maps.Values(s.gates), func(x, y *Gate) int { return strings.Compare(x.Key.Name, y.Key.Name) })
}

// TaskKey returns the key of a task by its address.
func TaskKey(address string) Key { return dag.TaskKey(address) }

// Before returns the keys of all that a task comes after, and its own.
func (s Section) Before(address string) map[Key]bool { return s.Graph.Closure(dag.TaskKey(address)) }

// Total returns the number of tasks to do. Handlers count after they are notified, tasks
// for failures after a failure.
func (s Section) Total() int {
	n := 0
	for _, t := range s.Tasks {
		if !t.Handler && t.Role != Rescue {
			n++
		}
	}
	return n
}

// BlockAddress returns the address of the task's block.
func (t *Task) BlockAddress() string { return t.Block.Spec.Address() }

// On reports whether its module works on hosts of the family; the error names what to use
// instead.
func (t *Task) On(os module.OS) error { return t.Block.Kind.On(os) }

// Reads reports whether its module changes nothing.
func (t *Task) Reads() bool { return t.Block.Kind.Reads }

// Sweeps reports whether its module removes what the playbook no longer declares. A task that is not done does not.
func (t *Task) Sweeps() bool { return t.Skip == "" && t.Block.Kind.Sweeps }

// lenient reports whether the task is done even if values that it reads are missing.
func (t *Task) lenient() bool { return t.Final() || t.Role != Normal }

// context returns the scope of a task's arguments, with the values of other tasks. Without
// Values these are unknown.
func (t *Task) context(values *Values) *hcl.EvalContext {
	return t.plan.refs.Context(t.Task.Task, values)
}

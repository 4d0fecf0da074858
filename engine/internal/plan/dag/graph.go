// Package dag puts tasks in order: in stages and batches, after what they refer to, with
// the handlers that they notify.
package dag

import (
	"github.com/hashicorp/hcl/v2"

	"kinit/engine/graph"
	"kinit/engine/internal/plan/expand"
	"kinit/engine/internal/plan/refs"
)

// Kind is the type of a key of a graph.
type Kind uint8

// The kinds of keys. All but that of a task are virtual.
const (
	OfTask   Kind = iota + 1 // a task or a handler
	All                      // all instances of a block, which must succeed
	Ended                    // all instances of a block, which must have ended
	Begin                    // before the tasks of a group
	Handlers                 // before the handlers at the end of a group
	End                      // after the group
)

// Key is a vertex of a graph.
type Key struct {
	Kind  Kind
	Stage bool   // the group is a stage or a batch of one
	Name  string // the address of a task or block, or the name of a group, such as stage.web.batch1
}

// TaskKey returns the key of a task by its address.
func TaskKey(address string) Key { return Key{Kind: OfTask, Name: address} }

func (k Key) String() string {
	switch {
	case k.Kind == All:
		return k.Name + "[*]"
	case k.Kind == Ended:
		return k.Name + "[*] ended"
	case k.Kind == Begin:
		return k.Name + ".begin"
	case k.Kind == End:
		return k.Name + ".end"
	case k.Kind == Handlers && k.Name == "":
		return "handlers"
	case k.Kind == Handlers:
		return k.Name + ".handlers"
	}
	return k.Name
}

// Whole reports whether the key represents the instances of a block.
func (k Key) Whole() bool { return k.Kind == All || k.Kind == Ended }

// Graph holds the tasks of a run and their order.
type Graph struct {
	Refs      *refs.Refs
	Stages    []string // each after those it names
	Main      Section
	OnFailure Section
	Always    Section
	All       []*Task // as in the files, handlers last
}

// With returns the graph with other tasks in its sections, which keep their keys.
func (g *Graph) With(main, onFailure, always []*Task) *Graph {
	other := *g
	other.Main.Tasks, other.OnFailure.Tasks, other.Always.Tasks = main, onFailure, always
	return &other
}

// Section holds tasks and their order.
type Section struct {
	Graph *graph.Graph[Key]
	Tasks []*Task // in plan order: stage, then place in the files, then key
	Gates map[Key]*Gate
}

// Gate is the end of a stage or of a batch of hosts. The tasks after it are done if at most
// MaxFail hosts have failed.
type Gate struct {
	Key     Key
	Label   string  // such as: batch 1 of 3 of stage "web"
	Tasks   []*Task // whose hosts count
	Own     []*Task // those that are in no batch within the stage
	MaxFail int     // how many hosts may fail; failed hosts are left out from then on
}

// Task is a task, or a handler for one host and the tasks that notify it before the
// same end of a stage, or before the same tasks that flush handlers.
type Task struct {
	*refs.Task
	Address   string
	Stage     string // empty without one
	Always    bool   // of the section Always
	OnFailure bool   // of the section OnFailure
	Handler   bool
	Watches   []*Task // the tasks that decide whether it is done: for a handler, those that notify it; for a Rescue or Cleanup, the block's others

	block *block
	group *group
	flush *flush // when its handlers run, or when it runs as a handler; nil means at the end of the group
}

// Final reports whether the task is outside of the main section.
func (t *Task) Final() bool { return t.Always || t.OnFailure }

// beside reports whether two tasks are in the same section.
func (t *Task) beside(other *Task) bool {
	return t.Always == other.Always && t.OnFailure == other.OnFailure
}

func (t *Task) key() Key { return TaskKey(t.Address) }

// block is a task block with its tasks.
type block struct {
	*refs.Block
	tasks   []*Task
	byHost  map[string][]*Task // by the host that a failure counts for
	moments map[moment]*Task   // of a handler
	whole   bool               // tasks refer to all of its instances
}

// moment is when and where a handler runs.
type moment struct {
	group *group
	flush *flush
	host  string
}

// flush is a moment before the end of a stage at which handlers run: the tasks that flush
// come after the same notifying tasks.
type flush struct {
	name   string // in addresses of handlers, such as flush1
	before []*Task
}

func (b *block) add(t *Task) {
	b.tasks = append(b.tasks, t)
	b.byHost[t.For] = append(b.byHost[t.For], t)
}

// spread reports whether the block is for more than one host.
func (b *block) spread() bool { return len(b.byHost) > 1 }

// all returns the key that needs every instance of the block to succeed, and ended the key
// that only comes after them.
func (b *block) all() Key   { return Key{Kind: All, Name: b.Spec.Address()} }
func (b *block) ended() Key { return Key{Kind: Ended, Name: b.Spec.Address()} }

// group holds tasks that all end before the next tasks begin: those of a stage, of a batch
// of hosts of a stage or block, or those without a stage. The handlers that they notify run
// at its end.
type group struct {
	key      string // in the graph: stage.web, stage.web.batch1, block.deploy.batch2; empty without a stage
	label    string // in messages
	name     string // in addresses of handlers
	at       hcl.Range
	rolling  *rolling // of a batch
	stage    bool     // it is a stage or a batch of one
	serial   bool     // a stage that runs batch by batch
	maxFail  int      // how many hosts may fail
	tasks    []*Task  // without handlers
	handlers []*Task
}

// rolling is a stage or block that runs batch by batch.
type rolling struct {
	group
	serial  said // missing means one batch
	maxFail said // missing means 0
	batches []*group
}

// said is an argument with the namespace of its expression, which is nil without one.
type said struct {
	expr hcl.Expression
	in   *expand.Namespace
}

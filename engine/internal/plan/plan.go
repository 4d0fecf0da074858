// Package plan makes of a spec, hosts and modules what a run does: one task per
// instance with its host and its place in a graph. After Build nothing about
// which tasks, hosts and edges there are changes any more.
package plan

import (
	"time"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine/graph"
	"kinit/engine/internal/eval"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/spec"
	"kinit/engine/internal/topology"
	"kinit/engine/module"
)

// Input is what a plan is made of.
type Input struct {
	Spec      *spec.Spec
	Scope     *eval.Scope // after SetCluster
	Inventory *inventory.Inventory
	Hosts     []*inventory.Host  // the selected hosts
	Topology  *topology.Topology // nil without a cluster
	Kinds     []module.Kind
	Selection Selection
}

// Selection is which part of the tasks a run does.
type Selection struct {
	StopAfter string   // the last stage; with what it needs
	StartAt   string   // the first stage; what comes before is left out unless its values are needed
	Only      []string // stages, names or addresses of tasks; with the tasks whose values they read
	Skip      []string // stages, names or addresses of tasks to leave out
	Limit     []string // patterns of hosts; tasks on others are left out, but for those of this machine that are needed
}

// Plan is what a run does. It is not changed by running it, and safe for use by
// several goroutines.
type Plan struct {
	Cluster   string   // the cluster's name, empty without one
	Owner     string   // who owns what tasks make: the cluster, or what the spec says; empty means nobody
	Stages    []string // so that each comes after those it names
	Main      Section
	OnFailure Section // done after Main when one of its tasks failed
	Always    Section // done last, whatever happened
	Checks    []*Check
	Outputs   []*Output
	Sources   map[string]*hcl.File // for snippets

	hosts  *hosts
	blocks *blocks
}

// Section is tasks and the order they are done in. A key of the graph that has no
// task is virtual: a stage's begin or end, or a task that was not selected.
type Section struct {
	Graph *graph.Graph[string]
	Tasks []*Task // in plan order: stage, then place in the files, then key

	byAddress map[string]*Task
	gates     map[string]*Gate
}

// Task returns the task with an address, or nil when the key is virtual.
func (s Section) Task(address string) *Task { return s.byAddress[address] }

// Gate returns what is looked at when a virtual key is reached, or nil.
func (s Section) Gate(key string) *Gate { return s.gates[key] }

// Total is how many tasks there are to do. Handlers do not count before they are
// notified, nor tasks for failures before there is one.
func (s Section) Total() int {
	n := 0
	for _, t := range s.Tasks {
		if !t.Handler && t.Role != Rescue {
			n++
		}
	}
	return n
}

// Task is one instance of a task block on one host, or of a handler for one host
// and the tasks that notify it before the same end of a stage, or before the same
// tasks that flush handlers.
type Task struct {
	Address   string // such as task.file.motd["web1"]
	Module    string
	Name      string
	Key       string // of for_each or hosts, empty without
	Host      string
	For       string    // the host that a failure is counted for: the key where that is a host, or Host
	Stage     string    // empty without one
	Range     hcl.Range // of the block's header
	Skip      string    // why it is not to be done ("when is false"), empty when it is
	Retry     Retry
	Timeout   time.Duration // of an attempt; 0 means the run's own
	Always    bool          // of the section Always
	OnFailure bool          // of the section OnFailure
	Handler   bool
	Role      Role
	Become    *Become  // nil means what the host says
	Sensitive bool     // nothing it says may be shown
	Needs     []string // addresses of the tasks whose values its arguments and its host read
	Watches   []*Task  // the tasks that decide whether it is done: of a handler, those that notify it; of a Rescue or Cleanup, the block's others

	block *block
	group *group
	flush *flush           // when its handlers are done, or it is as a handler; nil means at the end of the group
	scope *hcl.EvalContext // what is known before the run, with each and host
	files module.LocalFiles
	reads references // of its arguments
	after references // of depends_on
	plan  *Plan
}

// Role is what a task of a block is for.
type Role int

// The roles of the tasks of a block.
const (
	Normal  Role = iota
	Rescue       // on_failure: done when a task it watches failed
	Cleanup      // always: done after the tasks it watches, whatever happened to them
)

// Retry is how often a task is tried.
type Retry struct {
	Attempts int           // at least 1
	Delay    time.Duration // between two attempts
}

// defaultDelay is the time between two attempts when a retry block has none.
const defaultDelay = time.Second

// BlockAddress is the address of the block it is an instance of.
func (t *Task) BlockAddress() string { return t.block.spec.Address() }

// On tells whether its module works on hosts of the family; the error says what to
// use instead.
func (t *Task) On(os module.OS) error { return t.block.kind.On(os) }

// Reads tells whether its module changes nothing.
func (t *Task) Reads() bool { return t.block.kind.Reads }

// final tells whether the task is outside of the main section.
func (t *Task) final() bool { return t.Always || t.OnFailure }

// lenient tells whether the task is done although what it reads may be missing.
func (t *Task) lenient() bool { return t.final() || t.Role != Normal }

package event

import "iter"

// Plan is the graph a run is about to walk, so that a log contains everything that its
// readers need.
type Plan struct {
	Cluster   string            `json:"cluster,omitempty"`   // the cluster's name
	Removals  []Removal         `json:"removals,omitempty"`  // nodes and addresses that the run removes, as far as they are known before its tasks
	Enrols    []string          `json:"enrols,omitempty"`    // hosts that become hypervisors of a new cluster without being named
	Hosts     []Host            `json:"hosts,omitempty"`     // the selected hosts
	Variables map[string]string `json:"variables,omitempty"` // text, or JSON if the value is no text; secrets are masked
	Stages    []Stage           `json:"stages,omitempty"`    // each after those it names
	Blocks    []Block           `json:"blocks,omitempty"`    // the task blocks, in the order of their first task
	Topology  *Topology         `json:"topology,omitempty"`  // of the cluster
	Tasks     []Task            `json:"tasks,omitempty"`     // in plan order
	Sets      [][]int           `json:"sets,omitempty"`      // of indices in Tasks that several tasks wait for
}

// Waits yields the tasks that a task waits for, including those of its sets, as indices in
// Tasks. An index may appear twice.
func (p *Plan) Waits(t Task) iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, i := range t.Needs {
			if !yield(i) {
				return
			}
		}
		for _, n := range t.Sets {
			for _, i := range p.Sets[n] {
				if !yield(i) {
					return
				}
			}
		}
	}
}

// Host is a machine.
type Host struct {
	Name    string `json:"name"`
	Address string `json:"address,omitempty"`
}

// Stage is a named part of a playbook.
type Stage struct {
	Name  string   `json:"name"`
	After []string `json:"after,omitempty"` // the stages before it
}

// Block is a task block as written in its file.
type Block struct {
	Range Range  `json:"range"` // from the header to the closing brace
	Text  string `json:"text"`  // whole lines; secrets by type are masked
}

// Task is one instance of a task block on one host.
type Task struct {
	Address string  `json:"address"` // such as task.file.motd["web1"]
	Module  string  `json:"module"`
	Host    string  `json:"host"`
	Stage   string  `json:"stage,omitempty"`
	Section Section `json:"section,omitempty"`
	Block   int     `json:"block"`           // index in Plan.Blocks
	Needs   []int   `json:"needs,omitempty"` // indices in Plan.Tasks of the tasks it waits for, without those of earlier stages
	Sets    []int   `json:"sets,omitempty"`  // indices in Plan.Sets: it also waits for all tasks of these
}

// Section is the part of a run that a task belongs to.
type Section string

// The sections, in the order they run.
const (
	Main      Section = ""           // done in any case
	OnFailure Section = "on_failure" // done if a task of the main section failed
	Always    Section = "always"     // done last, whatever happened
)

// Value is a named text: an argument of a task, or an output.
type Value struct {
	Name string `json:"name"`           // with dots into nested blocks, as in mount[0].path
	Text string `json:"text"`           // unchanged, or JSON if the value is no text
	Cut  int    `json:"cut,omitempty"`  // bytes that were left out at the end of Text
	Mask bool   `json:"mask,omitempty"` // it is a secret by its type, and Text is a placeholder
}

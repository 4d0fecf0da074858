// Package input holds the arguments of a plan, and writes a command line with them.
package input

// Inputs are the arguments of a plan: the spec, the hosts, the values and the selected tasks.
// The environment and the program's modules shape the plan, too. A saved plan keeps the Inputs
// without secret Vars, and the variables of the environment that hold no secret.
type Inputs struct {
	Spec        string            `json:"spec"`                  // a file, or the name of a spec
	Text        string            `json:"text,omitempty"`        // the spec itself, which then is in no file; Spec is its name in messages
	Cwd         string            `json:"cwd"`                   // the folder relative paths start from
	Hosts       []string          `json:"hosts,omitempty"`       // patterns of hosts to work on, in order; empty means all of the inventory
	Limit       []string          `json:"limit,omitempty"`       // patterns of hosts; tasks on other hosts are left out and nothing changes there
	Inventories []string          `json:"inventories,omitempty"` // inventory files, scripts and folders, read in order
	Reserved    []string          `json:"reserved,omitempty"`    // those of Inventories whose hosts are used only if Hosts or the playbook names them
	Vars        map[string]string `json:"vars,omitempty"`        // values of variables, as text, from the command line
	VarFiles    []string          `json:"var_files,omitempty"`   // files with values of variables
	Set         []string          `json:"set,omitempty"`         // arguments of the cluster in place of the spec's: PATH=VALUE, as in pool.compute.memory=8GiB
	StopAfter   string            `json:"stop_after,omitempty"`  // the last stage to run; empty means all
	StartAt     string            `json:"start_at,omitempty"`    // the first stage to run; empty means the first
	Only        []string          `json:"only,omitempty"`        // addresses, names or stages of tasks to run alone
	Skip        []string          `json:"skip,omitempty"`        // addresses, names or stages of tasks to leave out
	Tags        []string          `json:"tags,omitempty"`        // tags of tasks to run, with those that have the tag "always"
	SkipTags    []string          `json:"skip_tags,omitempty"`   // tags of tasks to leave out
	Recreate    bool              `json:"recreate,omitempty"`    // playbooks remove what exists before they build
	Purge       bool              `json:"purge,omitempty"`       // playbooks remove kept things too
	Renew       bool              `json:"renew,omitempty"`       // playbooks renew certificates, however long they last
	Adopt       bool              `json:"adopt,omitempty"`       // uses what has the owner's name on the hosts, whichever instance made it, and records that
	MustExist   bool              `json:"must_exist,omitempty"`  // refuses a cluster that is on none of the hosts
	FreshFacts  bool              `json:"fresh_facts,omitempty"` // reads facts again, whatever their max_age
	Rebalance   bool              `json:"rebalance,omitempty"`   // moves nodes of the cluster so that each pool is spread evenly again
	Lost        []string          `json:"lost,omitempty"`        // hosts that do not come back: what they had of the cluster is recreated elsewhere; one that answers with its recorded identity is refused
	Leave       []string          `json:"leave,omitempty"`       // nodes that leave the cluster although the spec has them; a later run recreates them
	Evacuate    []string          `json:"evacuate,omitempty"`    // hypervisors whose nodes leave, likewise
	YesDestroy  []string          `json:"yes_destroy,omitempty"` // nodes that leave even if data is lost with them
	Remove      []string          `json:"remove,omitempty"`      // nodes, volumes and what has addresses: they may be removed where the spec no longer has them
	CleansUp    bool              `json:"cleans_up,omitempty"`   // the playbook removes everything until StopAfter, which names all removals
	Restore     Restore           `json:"restore,omitzero"`      // the backup that the run restores; none when zero
}

// Restore is a backup that a run restores. What the playbook does with it is the playbook's.
type Restore struct {
	ID       string `json:"id"`                // of the backup
	Cluster  string `json:"cluster,omitempty"` // the name of the backup's cluster
	Instance string `json:"instance"`          // of the owner; the hosts have this one, or none
	Pool     string `json:"pool"`              // the pool whose nodes are recreated
}

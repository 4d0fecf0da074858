package engine

import (
	"context"
	"io/fs"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/engine/secret"
)

// Confirm decides whether Run does a task. steps are what it would change, or nil
// when that cannot be told before it is tried. It may be called by several goroutines
// at once; it should return when ctx ends. An error fails the task. Tasks that read
// values of one that is not done are not done either.
type Confirm func(ctx context.Context, task, host string, steps []string) (bool, error)

// Options is everything a run needs from its caller. The engine reads no
// environment and prints nothing.
type Options struct {
	Spec        string            // a file, or the name of a spec
	Hosts       []string          // patterns of hosts to work on, in order; empty means all of the inventory
	Limit       []string          // patterns of hosts; tasks on others are left out, and all else stays as it is
	Inventories []string          // inventory files, scripts and folders, read in order
	Reserved    []string          // those of Inventories whose hosts are worked on only where Hosts or the playbook names them
	Vars        map[string]string // values of variables, as text, from the command line
	VarFiles    []string          // files with values of variables
	Environ     []string          // KEY=value pairs; KINIT_VAR_x sets variable x; inventory scripts get them
	StopAfter   string            // the last stage to run; empty means all
	StartAt     string            // the first stage to run; empty means the first
	Only, Skip  []string          // addresses, names or stages of tasks to run alone, or to leave out
	Recreate    bool              // tells playbooks to remove what exists before building
	Purge       bool              // tells playbooks to remove kept things too
	Adopt       bool              // works on what has the owner's name on the hosts, whoever made it, and remembers it
	Forks       int               // how many tasks run at the same time, 10 when zero
	Builtin     fs.FS             // the specs and playbooks that ship with the program
	Inventory   fs.FS             // the inventories that ship with the program
	Home        string            // the user's home folder, for ~/.ssh
	Cwd         string            // the folder relative paths start from
	CacheDir    string            // where artifacts are kept between runs
	StateDir    string            // where facts with a max_age are kept between runs, which runs are at work, and which instances of owners are known; empty keeps none
	OutputDir   string            // where outputs of commands are kept whole that are too long for the log; empty keeps none
	FreshFacts  bool              // reads facts anew, whatever their max_age
	Kinds       []module.Kind     // the modules tasks may use
	Events      event.Sink        // takes what happens; nil forgets it
	Confirm     Confirm           // asked before each task that would change something; nil does all
	Redactor    *secret.Redactor  // learns every secret; must be the one that the views use
}

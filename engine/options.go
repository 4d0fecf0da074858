package engine

import (
	"context"
	"io/fs"
	"path/filepath"
	"time"

	"kinit/engine/event"
	"kinit/engine/internal/input"
	"kinit/engine/internal/instance"
	"kinit/engine/internal/removal"
	"kinit/engine/internal/vault"
	"kinit/engine/module"
	"kinit/engine/secret"
)

// Confirm decides whether Run does a task. steps are the changes, or nil if they are not
// known before the task runs. It may be called by several goroutines at once; it should
// return when ctx ends. An error fails the task. Tasks that read values of a declined task
// are skipped too.
type Confirm func(ctx context.Context, task, host string, steps []string) (bool, error)

// Inputs is what the user says of a plan.
type Inputs = input.Inputs

// Restore is a backup that a run restores.
type Restore = input.Restore

// Job is a periodic job that a run belongs to. What the job deploys it also removes, so its runs work only on
// instances of the owner that a run of the same job has made or adopted.
type Job struct {
	Name    string   // hosts keep it with the instances that the job makes
	Folder  string   // where the run records the instances that it makes or adopts, before the first object; empty means no job
	Earlier []string // such folders of earlier runs of the job
}

// VaultIdentity is a password of Ansible Vault, which is read when something is to decrypt.
type VaultIdentity = vault.Identity

// Passwords are the passwords of a run for the hosts that the inventory has none for. Hosts that playbooks declare do not
// get them.
type Passwords struct {
	Login  secret.Value // to log in, where no key is accepted
	Become secret.Value // for sudo, doas and su
}

// Removal is a node, a volume or an address that a run removes.
type Removal = event.Removal

// ConfirmRemovals asks whether a run may remove what no flag names.
type ConfirmRemovals = removal.Confirm

// Options is the input of a run. The engine reads no environment and prints nothing.
type Options struct {
	Inputs
	Environ   []string      // KEY=value pairs; KINIT_VAR_x sets variable x; inventory scripts get them
	Offline   bool          // with Plan: asks no host, and shows a cluster as if it were new
	Within    time.Duration // with State and Observe: how long a host may take to answer at first; 0 means as long as in a run
	Forks     int           // how many tasks run at the same time, DefaultForks when zero
	Builtin   fs.FS         // the specs and playbooks that ship with the program
	Inventory fs.FS         // the inventories that ship with the program
	Home      string        // the user's home folder, for ~/.ssh
	CacheDir  string        // where artifacts are kept between runs
	StateDir  string        // where facts with a max_age, active runs and known instances of owners are kept; empty keeps none
	Job       Job           // the periodic job of the run; none when zero
	OutputDir string        // where outputs of commands that are too long for the log are kept whole; empty keeps none
	Kinds     []module.Kind // the modules tasks may use
	Events    event.Sink    // receives events; nil drops them
	Confirm   Confirm       // asked before each task that would change something; nil allows all
	Precedes  bool          // a run after this one builds again what this one removes
	Continues bool          // a run before this one has checked the names of Lost, YesDestroy and Remove, and may have removed what they mean
	Rebuilds  bool          // an earlier run has cleaned up for --recreate, which also names the removals of this one

	ConfirmRemovals ConfirmRemovals             // asked about removals that nothing names; nil refuses them
	NamesRemovals   func(names []string) string // how the user names removals, such as "give --remove web-02", which is the default
	Vault           []VaultIdentity             // decrypt values and files of Ansible Vault in inventories
	Passwords       Passwords
	Ask             func(ctx context.Context, question string) (secret.Value, error) // asks the user for a one-time code or a passphrase; nil if nothing can be asked
	Redactor        *secret.Redactor                                                 // is given every secret; must be the one that the views use
}

// memory returns where the instances are recorded that the run may work on.
func (o Options) memory() instance.Memory {
	if o.Job.Folder != "" {
		return instance.Memory{Folder: o.Job.Folder, Earlier: o.Job.Earlier, Adopted: o.userMemory().Folder}
	}
	return o.userMemory()
}

// userMemory returns where the instances are recorded that commands of the user have made, and no jobs.
func (o Options) userMemory() instance.Memory {
	if o.StateDir == "" {
		return instance.Memory{}
	}
	return instance.Memory{Folder: filepath.Join(o.StateDir, "instances")}
}

// ends returns the stage that removes everything when the run ends with it, or "".
func (o Options) ends() string {
	if o.CleansUp {
		return o.StopAfter
	}
	return ""
}

// DefaultForks is enough for the guests of a small cluster, and few enough for one
// hypervisor.
const DefaultForks = 10

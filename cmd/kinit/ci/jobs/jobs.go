// Package jobs reads the file of periodic jobs: specs to deploy, run
// again, verify and remove, with hosts and schedules. docs/ci.md describes it.
package jobs

import (
	"slices"
	"time"

	"github.com/hashicorp/hcl/v2"

	"kinit/cmd/kinit/ci/result"
	"kinit/cmd/kinit/ci/schedule"
	"kinit/engine/lists"
)

// File is the content of a file of jobs.
type File struct {
	Path    string // as it was given
	Folder  string // absolute; relative paths in the file start here
	Results string // the folder of results, absolute; empty means kinit's default
	Site    string // the folder of the site, absolute; empty means no site
	Title   string // of the site, empty means the program's own
	BaseURL string // the site's URL, for feeds; can be empty
	Keep    result.Limits
	Jobs    []Job // in the order of the file
}

// Job is a periodic job.
type Job struct {
	Name           string
	Spec           string // a path, relative to the file's folder, or the name of a spec
	Hosts          []string
	Inventories    []string
	Variables      map[string]string // as text, as on the command line
	VariableFiles  []string
	Set            []string           // arguments of the cluster, as in --set
	Remove         []string           // what its runs may remove, as in --remove
	Schedule       *schedule.Schedule // nil means on demand
	Timeout        time.Duration      // of everything but clean-up
	CleanupTimeout time.Duration
	Retries        int      // how often it is repeated after a failure of the infrastructure
	Verify         string   // the stage that verifies; skipped if the playbook does not have it
	Cleanup        string   // the stage that removes, as the last one
	Ready          string   // the stage, or the address of the task, whose end means ready; empty means the whole run
	Infrastructure []string // stages whose failure is not the product's
	Backup         *Backup  // what a job backs up that deploys nothing; nil for a job that deploys
	Range          hcl.Range
}

// Backup is where a job keeps the backups of a cluster that exists.
type Backup struct {
	Folder     string   // absolute
	Recipients []string // whose keys can read them
	Keep       int      // how many of them are kept
}

// Address identifies the job in results and on the site: its name and
// its frequency.
func (j Job) Address() string {
	if j.Schedule == nil {
		return j.Name + "-on-demand"
	}
	return j.Name + "-periodic-" + j.Schedule.Name()
}

// Find returns the job with a name or an address, or nil.
func (f *File) Find(name string) *Job {
	i := slices.IndexFunc(f.Jobs, func(j Job) bool { return j.Name == name || j.Address() == name })
	if i < 0 {
		return nil
	}
	return &f.Jobs[i]
}

// Names are the names of all jobs.
func (f *File) Names() []string {
	return lists.Map(f.Jobs, func(j Job) string { return j.Name })
}

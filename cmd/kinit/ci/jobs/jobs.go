// Package jobs reads the file that says which jobs run periodically: specs to deploy, run
// again, verify and remove, on which hosts and when. docs/ci.md describes it.
package jobs

import (
	"time"

	"github.com/hashicorp/hcl/v2"

	"kinit/cmd/kinit/ci/result"
	"kinit/cmd/kinit/ci/schedule"
)

// File is what a file of jobs says.
type File struct {
	Path    string // as it was given
	Folder  string // absolute; relative paths in the file start here
	Results string // where results are kept, absolute; empty means where kinit keeps its own
	Site    string // where the site is rendered, absolute; empty means nowhere
	Title   string // of the site, empty means the program's own
	BaseURL string // where the site will be, for feeds; may be empty
	Keep    result.Limits
	Jobs    []Job // in the order of the file
}

// Job is one thing that is tried periodically.
type Job struct {
	Name           string
	Spec           string // a path, relative to the file's folder, or the name of a spec
	Hosts          []string
	Inventories    []string
	Variables      map[string]string // as text, as on the command line
	VariableFiles  []string
	Schedule       *schedule.Schedule // nil means on demand
	Timeout        time.Duration      // of everything but clean-up
	CleanupTimeout time.Duration
	Retries        int      // how often it is begun anew after a failure of the infrastructure
	Verify         string   // the stage that verifies; one the playbook does not have is left out
	Cleanup        string   // the stage that removes when it is the last
	Ready          string   // the stage, or the address of the task, whose end is when it is ready; empty means the whole run
	Infrastructure []string // stages whose failure is not the product's
	Range          hcl.Range
}

// Address names the job in results, on the site and in addresses of pages: its name and
// how often it is due.
func (j Job) Address() string {
	if j.Schedule == nil {
		return j.Name + "-on-demand"
	}
	return j.Name + "-periodic-" + j.Schedule.Name()
}

// Find is the job of a name or an address, or nil.
func (f *File) Find(name string) *Job {
	for i := range f.Jobs {
		if j := &f.Jobs[i]; j.Name == name || j.Address() == name {
			return j
		}
	}
	return nil
}

// Names are the names of all jobs.
func (f *File) Names() []string {
	names := make([]string, len(f.Jobs))
	for i, j := range f.Jobs {
		names[i] = j.Name
	}
	return names
}

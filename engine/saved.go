package engine

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"kinit/engine/event"
	"kinit/engine/lists"
)

// The kind and version of a saved plan.
const (
	SavedKind    = "kinit_plan"
	SavedVersion = 1
)

// Saved is a plan that can be applied later: its inputs, and the changes of each task. It
// contains no secret in clear text, only slow digests of sensitive values and of files that
// may contain some.
type Saved struct {
	Kind    string    `json:"kind"`    // SavedKind
	Version int       `json:"version"` // SavedVersion
	Created time.Time `json:"created"`

	Inputs                    // Vars without the secret ones
	Environ map[string]string `json:"environ,omitempty"` // of KINIT_VAR_x, by x

	Instance string `json:"instance,omitempty"` // the id to use if the owner has no instance yet
	Existing string `json:"existing,omitempty"` // the id of the cluster's instance, and of the run that has rebuilt it, if the cluster exists

	Salt    string                 `json:"salt"`
	Secrets map[string]SavedSecret `json:"secrets,omitempty"` // sensitive values that were given, by name
	Read    map[string]string      `json:"read,omitempty"`    // slow digests of VarFiles and of all files that expressions and tasks read
	Files   map[string]string      `json:"files"`             // SHA-256 of the spec, its playbooks and the inventories

	Tasks []SavedTask `json:"tasks"`
}

// SavedSecret is a value that must be given again to apply the plan.
type SavedSecret struct {
	Digest  string `json:"digest"`            // slow
	Environ bool   `json:"environ,omitempty"` // from the environment, which has lower priority than the command line
}

// SavedTask is a task and its changes.
type SavedTask struct {
	Address string   `json:"address"`
	Host    string   `json:"host"`
	Steps   []string `json:"steps,omitempty"`   // redacted; empty if nothing changes
	Later   bool     `json:"later,omitempty"`   // its changes are known only after other tasks
	Skipped bool     `json:"skipped,omitempty"` // it is not done
}

// Save plans as Plan does and returns the plan in a form that can be stored, or nil if the
// report has errors.
func Save(ctx context.Context, o Options) (*Saved, *Report) {
	p, report := perform(ctx, o, modePlan)
	if report.Diagnostics.HasErrors() || report.Interrupted {
		return nil, report
	}
	s := &Saved{
		Kind: SavedKind, Version: SavedVersion, Created: time.Now().UTC().Truncate(time.Second),
		Inputs: o.Inputs, Environ: map[string]string{},
		Salt: rand.Text(), Secrets: map[string]SavedSecret{}, Files: p.digests(),
		Tasks: savedTasks(report, p.options.Redactor.Redact), Existing: p.found.Life(),
	}
	if p.plan.Owner != "" {
		s.Instance = p.identity.fresh.ID
	}
	s.Vars = map[string]string{}
	s.keepValues(p)
	return s, report
}

func savedTasks(r *Report, redact func(string) string) []SavedTask {
	tasks := make([]SavedTask, len(r.Results))
	for i, result := range r.Results {
		t := SavedTask{Address: redact(result.Address), Host: result.Host, Later: result.Pending || result.Loose, Skipped: result.Status == event.Skipped}
		if !t.Later {
			t.Steps = lists.Map(result.Steps, redact)
		}
		tasks[i] = t
	}
	return tasks
}

// environPrefix starts the names of environment variables that set variables.
const environPrefix = "KINIT_VAR_"

// environ returns the values of an environment's KINIT_VAR_x, by x.
func environ(pairs []string) map[string]string {
	all := map[string]string{}
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		if name, ok := strings.CutPrefix(name, environPrefix); ok {
			all[name] = value
		}
	}
	return all
}

// Package result stores the results of periodic jobs: one folder for each run, with an
// append-only record and the files that were made from the run.
//
// A folder of results has a folder for each job, named by its address, and in it one for
// each run, <start>-<n>. result.jsonl in it has one JSON object per line: a header, the
// beginning and the end of each phase, and an end. It is locked while its program
// lives, so a record without an end and without a lock is from a program that died: the run
// was aborted, and its deployment may still exist. A later line, "settled", records its
// removal. No two programs write in the same folder, so any number of programs can keep
// results in one place. docs/ci.md describes the format.
package result

import (
	"slices"
	"time"

	"kinit/cmd/kinit/replay"
	"kinit/engine/event"
)

// Version is the version of a record's format, in its header. It is incremented when a
// reader of the earlier version would misinterpret a record.
const Version = 1

// The kinds of lines.
const (
	kindHeader  = "kinit_ci_result"
	kindBegin   = "phase_started"
	kindFinish  = "phase_ended"
	kindEnd     = "ended"
	kindSettled = "settled"
)

// Verdict is the verdict of a job's run.
type Verdict string

// The verdicts.
const (
	Passed         Verdict = "passed"
	Failed         Verdict = "failed"         // the product is at fault
	Refused        Verdict = "refused"        // kinit refused the deployment, and changed nothing: a person has to decide
	Infrastructure Verdict = "infrastructure" // what the product was to be tried on is at fault
	Aborted        Verdict = "aborted"        // it was interrupted, or its program died
	Running        Verdict = "running"        // a program still writes the record
)

// Verdicts are all of them, the worst for the product first.
func Verdicts() []Verdict {
	return []Verdict{Failed, Refused, Infrastructure, Aborted, Running, Passed}
}

// PhaseName is a part of a job's run.
type PhaseName string

// The phases, in their order.
const (
	Deploy   PhaseName = "deploy"
	Again    PhaseName = "again"
	Verify   PhaseName = "verify"
	Evidence PhaseName = "evidence"
	Cleanup  PhaseName = "cleanup"
	Backup   PhaseName = "backup" // the only one of a job that backs up
)

// Phases are all of them in their order.
func Phases() []PhaseName { return []PhaseName{Deploy, Again, Verify, Evidence, Cleanup, Backup} }

// Header is the first line of a record: the inputs of the run.
type Header struct {
	Kind     string        `json:"kind"` // "kinit_ci_result"
	Version  int           `json:"version"`
	Job      string        `json:"job"` // the address, such as k8s-libvirt-1-1-1-periodic-weekly
	Name     string        `json:"name"`
	Spec     string        `json:"spec"`
	Hosts    []string      `json:"hosts,omitempty"` // the patterns that were asked for
	Schedule string        `json:"schedule,omitempty"`
	TimeZone string        `json:"time_zone,omitempty"`
	Period   time.Duration `json:"period,omitempty"` // nanoseconds from this run to the next by schedule; 0 without one
	Started  time.Time     `json:"started"`
	Program  string        `json:"program"`          // the version of kinit
	Commit   string        `json:"commit,omitempty"` // of the spec's repository, short
	Rerun    string        `json:"rerun"`            // the command line that runs the job again
}

// Phase is one phase of a run. At its beginning only the first fields are known.
type Phase struct {
	Name      PhaseName `json:"phase"`
	Attempt   int       `json:"attempt"` // from 1
	Started   time.Time `json:"started"`
	Ended     time.Time `json:"ended,omitzero"`
	OK        bool      `json:"ok,omitempty"`
	Skipped   bool      `json:"skipped,omitempty"`   // there was nothing to do for it
	Note      string    `json:"note,omitempty"`      // why it has no content, or a remark
	Run       string    `json:"run,omitempty"`       // the name of the run's log
	Tasks     int       `json:"tasks,omitempty"`     // of the plan
	Changed   *int      `json:"changed,omitempty"`   // tasks that changed something, or would
	Leftovers *int      `json:"leftovers,omitempty"` // of a cleanup
	Stages    []Stage   `json:"stages,omitempty"`    // in the order of the playbook
}

// Duration returns how long the phase took; 0 if it did not end.
func (p Phase) Duration() time.Duration {
	if p.Ended.IsZero() {
		return 0
	}
	return p.Ended.Sub(p.Started)
}

// Stage is how long a stage of the playbook was active, in nanoseconds.
type Stage struct {
	Name     string        `json:"stage"`
	Duration time.Duration `json:"duration"`
}

// End is the last line of a completed run.
type End struct {
	Time    time.Time     `json:"time"`
	Verdict Verdict       `json:"verdict"`
	Phase   PhaseName     `json:"phase,omitempty"` // the first that failed
	Stage   string        `json:"stage,omitempty"` // of the playbook, where the first error happened
	Ready   time.Duration `json:"ready,omitempty"` // nanoseconds until what was deployed was ready; 0 when it was not
	Error   *Problem      `json:"error,omitempty"` // the first one
	Files   []File        `json:"files,omitempty"`
}

// Problem is the first error of a run with its lines in the playbook. Its texts are
// redacted, cleaned and shortened.
type Problem struct {
	Summary   string         `json:"summary"`
	Detail    string         `json:"detail,omitempty"`
	Address   string         `json:"address,omitempty"`
	Host      string         `json:"host,omitempty"`
	Place     string         `json:"place,omitempty"` // such as site.hcl:12
	In        string         `json:"in,omitempty"`    // the block the place is in
	Lines     []replay.Line  `json:"lines,omitempty"` // of HCL
	Command   *event.Command `json:"command,omitempty"`
	Signature string         `json:"signature"` // the same for failures of the same kind
}

// File is a file beside the record. It may be published if it is clean and still has
// the digest from its check.
type File struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	Clean  bool   `json:"clean"` // none of the run's secrets is in it
}

// Settled records that a later program cleaned up after a run.
type Settled struct {
	Time      time.Time `json:"time"`
	Leftovers int       `json:"leftovers"`
}

// Result is the content of a run's record.
type Result struct {
	ID      string // the name of the run's folder
	Folder  string // its path
	Header  Header
	Phases  []Phase // in the order in which they began
	End     *End    // nil if the run did not end, or not yet
	Settled *Settled
	Alive   bool // a program still writes the record
	Damaged int  // lines that are no JSON; they are left out

	Modified time.Time // when the record was written last
}

// Verdict is what the run came to.
func (r *Result) Verdict() Verdict {
	switch {
	case r.End != nil:
		return r.End.Verdict
	case r.Alive:
		return Running
	}
	return Aborted
}

// Decisive reports whether the run's verdict is about the product.
func (r *Result) Decisive() bool { return r.Verdict() == Passed || r.Verdict() == Failed }

// Last is the last run of a phase, or nil.
func (r *Result) Last(name PhaseName) *Phase {
	for i := range slices.Backward(r.Phases) {
		if r.Phases[i].Name == name {
			return &r.Phases[i]
		}
	}
	return nil
}

// Changed returns how many tasks the second run changed, or would have; false if there was
// no second run.
func (r *Result) Changed() (int, bool) {
	if p := r.Last(Again); p != nil && p.Changed != nil {
		return *p.Changed, true
	}
	return 0, false
}

// Leftovers returns how much was left after the last clean-up, including one by a later
// program; false if unknown.
func (r *Result) Leftovers() (int, bool) {
	if r.Settled != nil {
		return r.Settled.Leftovers, true
	}
	for _, p := range slices.Backward(r.Phases) {
		switch {
		case p.Name == Cleanup && p.Leftovers != nil:
			return *p.Leftovers, true
		case p.Name == Deploy, p.Name == Cleanup:
			return 0, false
		}
	}
	return 0, true // nothing began
}

// Orphaned reports whether the run's deployment may still exist, without a program to
// remove it.
func (r *Result) Orphaned() bool {
	left, known := r.Leftovers()
	return !r.Alive && (!known || left > 0)
}

// FailedPhase returns the phase in which the run failed, or in which its program died; empty
// if it passed or still runs.
func (r *Result) FailedPhase() PhaseName {
	switch {
	case r.End != nil:
		return r.End.Phase
	case r.Alive || len(r.Phases) == 0:
		return ""
	}
	return r.Phases[len(r.Phases)-1].Name
}

// FailedAt returns where the run failed: the stage of the playbook, else the phase.
func (r *Result) FailedAt() string {
	if r.End != nil && r.End.Stage != "" {
		return r.End.Stage
	}
	return string(r.FailedPhase())
}

// Ended returns when the run ended, or the time of the last known event.
func (r *Result) Ended() time.Time {
	if r.End != nil {
		return r.End.Time
	}
	times := []time.Time{r.Header.Started}
	for _, p := range r.Phases {
		times = append(times, p.Started, p.Ended)
	}
	return slices.MaxFunc(times, time.Time.Compare)
}

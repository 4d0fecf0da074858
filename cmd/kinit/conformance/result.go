// Package conformance runs a release's end-to-end tests against a cluster, follows their
// output, and writes the results.
//
// The suite is an external program, e2e.test, and another one, ginkgo, runs it in several
// processes. The suite lists its tests; their results are read from
// the output as it grows, so that an interrupted run has results too.
package conformance

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
)

// State is the result of a test.
type State string

// The states of a test.
const (
	Passed  State = "passed"
	Failed  State = "failed"
	Skipped State = "skipped" // it looked at the cluster and found that it does not apply
	NotRun  State = "not run" // the suite ended before it
)

// Test is one test of the suite.
type Test struct {
	Name   string        `json:"name"`
	State  State         `json:"state"`
	Took   time.Duration `json:"took"`
	Error  string        `json:"error,omitempty"`  // the most informative line of a failure, or why it was skipped
	Detail string        `json:"detail,omitempty"` // what the test said at the end
}

// Group is the part of the project that owns the test: the first bracket of its name,
// such as sig-node.
func (t Test) Group() string {
	if _, rest, ok := strings.Cut(t.Name, "["); ok {
		if group, _, ok := strings.Cut(rest, "]"); ok {
			return group
		}
	}
	return "other"
}

// Result is the results of all tests of a run.
type Result struct {
	Spec        string    `json:"spec"`
	Cluster     string    `json:"cluster"`
	Release     string    `json:"release"` // of Kubernetes, that the suite belongs to
	Program     string    `json:"program"` // the version of kinit
	Focus       string    `json:"focus"`
	Skip        string    `json:"skip,omitempty"`
	Parallel    int       `json:"parallel"`
	Started     time.Time `json:"started"`
	Ended       time.Time `json:"ended"`
	Interrupted bool      `json:"interrupted,omitempty"`
	Problem     string    `json:"problem,omitempty"`  // why the suite as a whole did not complete
	LeftOut     []string  `json:"left_out,omitempty"` // tests of the focus that Skip took out
	Tests       []Test    `json:"tests"`
}

// Count returns the number of tests in a state.
func (r *Result) Count(state State) int {
	return len(r.Of(state))
}

// Of returns the tests in a state, sorted by name.
func (r *Result) Of(state State) []Test {
	return slices.DeleteFunc(slices.Clone(r.Tests), func(t Test) bool { return t.State != state })
}

// Good reports whether all tests ran and none failed.
func (r *Result) Good() bool {
	return !r.Interrupted && r.Problem == "" && r.Count(Failed) == 0 && r.Count(NotRun) == 0
}

// Took is how long all of it took.
func (r *Result) Took() time.Duration { return r.Ended.Sub(r.Started) }

// Tally counts the tests of a group.
type Tally struct {
	Group                           string
	Passed, Failed, Skipped, NotRun int
}

// Tallies count the tests of each group, in the order of the names.
func (r *Result) Tallies() []Tally {
	byGroup := map[string]Tally{}
	for _, t := range r.Tests {
		tally := byGroup[t.Group()]
		tally.Group = t.Group()
		switch t.State {
		case Passed:
			tally.Passed++
		case Failed:
			tally.Failed++
		case Skipped:
			tally.Skipped++
		case NotRun:
			tally.NotRun++
		}
		byGroup[tally.Group] = tally
	}
	return slices.SortedFunc(maps.Values(byGroup), func(a, b Tally) int { return cmp.Compare(a.Group, b.Group) })
}

// collect returns the tests with their results; planned tests without an end count as not
// run.
func collect(planned []string, ended []Test) []Test {
	byName := map[string]Test{}
	for _, name := range planned {
		byName[name] = Test{Name: name, State: NotRun}
	}
	for _, t := range ended {
		byName[t.Name] = t
	}
	return slices.SortedFunc(maps.Values(byName), func(a, b Test) int { return cmp.Compare(a.Name, b.Name) })
}

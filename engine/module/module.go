// Package module is the contract between the engine and its modules.
//
// A module brings one kind of thing about on one host: a file, a service, a
// domain, a switch port. It reads the host, compares with its arguments, and
// returns what would change; the engine prints that, or does it.
//
// The life of a task:
//
//  1. Kind.New makes a zero task; the engine decodes the block's arguments into
//     it by its hcl tags.
//  2. Plan reads the host and returns the steps that would bring it about. Plan
//     changes nothing. No steps means the host is as it should be.
//  3. Each step's Do makes its change, in order; the first error ends the task.
//  4. After a change the engine plans again: steps left over are a failure, unless
//     the task says by Repeatable that it cannot know.
//  5. If the task is an Outputter, Outputs is read for later tasks.
//
// A task is used by one goroutine at a time. Every call may be repeated, after a
// retry or in a later run, and must find what an interrupted call left behind.
package module

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"
)

// Kind is one module: its name in HCL and how to make its task.
//
// A module that ships with kinit says in doc comments what people need to know: of
// its task, beginning with one short sentence and ending with the lists "Outputs:"
// (a name, a colon and a meaning each) and "Errors:", and of each field with an hcl
// tag. The file <name>.example.hcl beside its code is a playbook that uses it. The
// reference that kinit prints is made of these.
type Kind struct {
	Name string      // as in task "<name>" "…"
	New  func() Task // a pointer to a struct with hcl tags, defaults filled in
	// OS are the families of hosts the module works on; Linux alone when empty.
	OS []OS
	// Elsewhere is the module that does the same on hosts of other families, empty
	// when none does. Messages name it.
	Elsewhere string
	// Reads says that its tasks change nothing on any host, so that their hosts need no lock.
	Reads bool
}

// On tells whether the module works on hosts of the family. The error of one that
// does not is a *SystemError.
func (k Kind) On(os OS) error {
	families := k.OS
	if len(families) == 0 {
		families = []OS{Linux}
	}
	if slices.Contains(families, os) {
		return nil
	}
	return &SystemError{Module: k.Name, Works: families[0], Runs: os, Elsewhere: k.Elsewhere}
}

// SystemError is a module that was asked to work on a host whose operating system it
// does not know.
type SystemError struct {
	Module    string
	Works     OS     // what it works on
	Runs      OS     // what the host runs
	Elsewhere string // the module to use instead, or empty
}

// Error says what to use instead.
func (e *SystemError) Error() string {
	advice := "there is no module for that on " + e.Runs.Title() + " hosts"
	if e.Elsewhere != "" {
		advice = "use " + e.Elsewhere
	}
	return fmt.Sprintf("the module %s works on %s hosts, and this one runs %s: %s", e.Module, e.Works.Title(), e.Runs.Title(), advice)
}

// Task is one thing to bring about on one host.
type Task interface {
	// Plan reads the host and returns what would change, in order. It must not
	// change the host. Inside, keep two functions: one that reads, one that
	// decides from data alone. An error that an argument is to blame for begins
	// with its name and a colon, and is shown where the argument is written.
	Plan(ctx context.Context, h Host) ([]Step, error)
}

// Step is one change.
type Step interface {
	// String is the dry-run line: lower case, no full stop, no secret. Further
	// lines, such as a diff, follow the first.
	String() string
	// Do makes the change.
	Do(ctx context.Context, h Host) error
}

// Waiter is a step that changes nothing, but waits until the host is as it should
// be. A task with no other steps counts as ok.
type Waiter interface {
	Step
	// Waits tells whether waiting is all that the step does.
	Waits() bool
}

// Outputter is a task with values that other tasks may refer to.
type Outputter interface {
	Task
	// OutputTypes names the values and their types. It does not depend on the
	// arguments.
	OutputTypes() map[string]cty.Type
	// Outputs reads the values, after the task's steps are done. In a dry run it
	// is called only when Plan returned no steps.
	Outputs(ctx context.Context, h Host) (map[string]cty.Value, error)
}

// Confidential is a task some of whose values are secret, so that whatever is made of
// them is.
type Confidential interface {
	Outputter
	// SecretOutputs names those of OutputTypes. It does not depend on the arguments.
	SecretOutputs() []string
}

// Discreet is a task that can keep an argument to itself although its type does not say
// so, such as the content of a file.
type Discreet interface {
	Task
	// Hide says, before Validate, that an argument (such as "content" or
	// "mount[0].path") is sensitive. True is the promise that nothing of it is in what
	// the task says from then on: its steps, errors and messages, and its outputs.
	// Otherwise nothing at all of what the task says is shown.
	Hide(argument string) bool
}

// Aging is a task that only reads what seldom changes, so that the values that an
// earlier run has read may do. Its argument for that is named max_age.
type Aging interface {
	Outputter
	// MaxAge is how old the values may be; without any it is 0.
	MaxAge() time.Duration
}

// Validator is a task that can find mistakes in its arguments without a host.
type Validator interface {
	Task
	// Validate returns the first mistake: what is wrong and what is expected.
	Validate() error
}

// Sourced is a task that reads files of the machine kinit runs on.
type Sourced interface {
	Task
	// ReadFrom says where the files are, before Validate.
	ReadFrom(files LocalFiles)
}

// LocalFiles is the files of the machine kinit runs on, as a playbook names them: a
// path is relative to the folder of the playbook file with the task, which may be one
// inside the program, unless it is absolute or begins with "~/", the user's home
// folder. It is safe for use by several goroutines.
type LocalFiles interface {
	// Stat describes what is at a path, and follows links.
	Stat(path string) (fs.FileInfo, error)
	// Open reads a file.
	Open(path string) (fs.File, error)
}

// Messenger is a task that tells people something when it ends well, such as a
// value they want to see.
type Messenger interface {
	Task
	// Tells is the message, after Plan and the steps: one line or several. Nothing is
	// told when it is empty.
	Tells() string
}

// Judged is a task whose outputs tell how it ended, so that the playbook can judge
// that with failed_when: a command with its exit code.
type Judged interface {
	Outputter
	// Judge says, before Plan, that the playbook judges. From then on an end that
	// the task would take for a failure is none, and Outputs tell of it. What keeps
	// it from ending, such as a lost connection, remains an error.
	Judge()
}

// Unverifiable is a task that cannot tell after a change whether it is still
// needed, such as a command that has no "creates".
type Unverifiable interface {
	Task
	Unverifiable() bool
}

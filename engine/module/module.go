// Package module is the contract between the engine and its modules.
//
// A module manages one kind of object on one host: a file, a service, a domain, a switch
// port. It reads the host, compares it with its arguments, and returns the changes; the
// engine prints or does them.
//
// The life of a task:
//
//  1. Kind.New makes a task with its defaults; the engine decodes the block's arguments
//     into it by its hcl tags, and checks them.
//  2. Plan reads the host and returns the steps that would bring it about. Plan
//     changes nothing. No steps means the host is as it should be.
//  3. Each step's Do makes its change, in order; the first error ends the task.
//  4. After a change the engine plans again: steps left over are a failure, unless
//     the task says by Unverifiable that it cannot know.
//  5. If the task has a method Outputs, that is read for later tasks.
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
)

// Kind is one module: its name in HCL and how to make its task.
//
// A module that ships with kinit has doc comments for its users: on its task, beginning
// with one short sentence and ending with the list "Errors:", on each field with an hcl
// tag, and on each field of its outputs. The file <name>.example.hcl beside its code is a
// playbook that uses it. The reference that kinit prints comes from these.
type Kind struct {
	Name string      // as in task "<name>" "…"
	New  func() Task // a pointer to a struct with hcl tags, defaults filled in; Of makes it
	// OS are the families of hosts the module works on; only Linux if empty.
	OS []OS
	// Elsewhere is the module that does the same on hosts of other families, or empty.
	// Messages name it.
	Elsewhere string
	// Reads is set if its tasks change nothing on any host, so that their hosts need no
	// lock.
	Reads bool
	// Sweeps is set if its tasks remove what the owner has on a host and the arguments do not keep. Such
	// a task without arguments would remove all that a playbook may keep.
	Sweeps bool
	// Marks are the kinds of marks its tasks make, so that they are undone.
	Marks []MarkKind
	// Signs is set if its objects carry the owner and its instance themselves, and so have no mark in
	// the manifest. The instance is recorded on the host before such an object is made.
	Signs bool
}

// Of returns the module of a task without outputs, with the defaults of its tags. A task
// with other initial values needs a custom New that calls SetDefaults.
func Of[T any, P interface {
	*T
	Task
}](k Kind) Kind {
	if k.New == nil {
		k.New = func() Task { return P(SetDefaults(new(T))) }
	}
	return k
}

// With returns the module of a task with outputs, as OutputTypes describes.
func With[T, O any, P interface {
	*T
	Task
	Outputs(ctx context.Context, h Host) (O, error)
}](k Kind) Kind {
	return Of[T, P](k)
}

// On reports whether the module works on hosts of the family. If it does not, the error is
// a *SystemError.
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

// SystemError is the error of a module that does not support the host's operating system.
type SystemError struct {
	Module    string
	Works     OS     // what it works on
	Runs      OS     // what the host runs
	Elsewhere string // the module to use instead, or empty
}

// Error names the module to use instead.
func (e *SystemError) Error() string {
	advice := "there is no module for that on " + e.Runs.Title() + " hosts"
	if e.Elsewhere != "" {
		advice = "use " + e.Elsewhere
	}
	return fmt.Sprintf("the module %s works on %s hosts, and this one runs %s: %s", e.Module, e.Works.Title(), e.Runs.Title(), advice)
}

// Task is one wanted state on one host.
type Task interface {
	// Plan reads the host and returns what would change, in order. It must not change the
	// host. Inside, keep two functions: one that reads, one that decides from data alone.
	// An error about an argument begins with its name and a colon, and is shown at the
	// argument.
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

// Waiter is a step that changes nothing, but waits until the host has the wanted state. A
// task with no other steps counts as ok.
type Waiter interface {
	Step
	// Waits reports whether the step only waits. The engine asks again after Do, since a step
	// may find out only then that it has changed nothing.
	Waits() bool
}

// Discreet is a task that can hide an argument that is no secret by its type, such as the
// content of a file.
type Discreet interface {
	Task
	// Hide announces, before Validate, that an argument (such as "content" or
	// "mount[0].path") is sensitive. If it returns true, the task promises that its steps,
	// errors, messages and outputs contain nothing of the argument. Otherwise no output of
	// the task is shown at all.
	Hide(argument string) bool
}

// Aging is a task that only reads values that seldom change, so that it can use the values
// of an earlier run. Its argument for that is named max_age.
type Aging interface {
	Task
	// MaxAge returns how old the values may be, 0 without the argument.
	MaxAge() time.Duration
}

// Connector is a task about the connection of its host itself.
type Connector interface {
	Task
	// Connection returns how the engine connects before Plan.
	Connection() Connection
}

// Connection is what a Connector wants.
type Connection struct {
	Within time.Duration // how long to wait for a host that does not answer
	Reset  bool          // later tasks get a new connection
}

// Validator is a task that can find mistakes in its arguments without a host.
type Validator interface {
	Task
	// Validate returns the first mistake: the problem and the expected value.
	Validate() error
}

// Sourced is a task that reads files of the machine kinit runs on.
type Sourced interface {
	Task
	// ReadFrom sets the source of the files, before Validate.
	ReadFrom(files LocalFiles)
}

// Addressed is a task that has to recognise on a host what the same task did in earlier runs.
type Addressed interface {
	Task
	// Called sets the name of the task's file and its address, before Validate. It is not called for a task that is in
	// no file.
	Called(task string)
}

// LocalFiles gives access to the files of the machine kinit runs on, by the names in a
// playbook: a path is relative to the folder of the playbook file with the task, which may
// be one inside the program, unless it is absolute or begins with "~/", the user's home
// folder. It is safe for use by several goroutines.
type LocalFiles interface {
	// Stat describes a path and follows links.
	Stat(path string) (fs.FileInfo, error)
	// Open reads a file.
	Open(path string) (fs.File, error)
}

// Messenger is a task that prints a message after success, such as a value they want to
// see.
type Messenger interface {
	Task
	// MessageText returns the message, after Plan and the steps: one line or several. An empty
	// one is not shown.
	MessageText() string
}

// Editor is a task that changes a part of something which other tasks may change too, such as a
// text file, and writes it as a whole. The engine does such tasks one after the other.
type Editor interface {
	Task
	// Edits returns the name of the thing on the host, such as the path of a file.
	Edits() string
}

// Judged is a task whose outputs contain how it ended, so that the playbook can decide
// about failure with failed_when: a command with its exit code.
type Judged interface {
	Task
	// Judge announces, before Plan, that the playbook decides about failure. The task then
	// reports a failed end in Outputs instead of as an error. A reason why it could not
	// end, such as a lost connection, remains an error.
	Judge()
}

// Unverifiable is a task that cannot find out after a change whether it is still needed,
// such as a command that has no "creates".
type Unverifiable interface {
	Task
	Unverifiable() bool
}

// Remover is a step that removes an object which the playbook no longer declares, with data that kinit cannot
// make again. The engine does it only if a flag or an answer on the terminal has named the object.
type Remover interface {
	Step
	// Removes returns the object, and false for a step that removes none.
	Removes() (Removed, bool)
}

// Removed is an object with data that a step removes.
type Removed struct {
	Kind string // such as "volume", for messages
	Name string // as --remove names it; a path may be given by its last part
	All  bool   // the task removes all that the owner has, as its arguments say
	// Parts replaces Name for objects without data, such as ports of a network: their names. Only those of nodes that stay have to
	// be named, by their nodes.
	Parts []string
}

// step is a Step made of a text and a function.
type step struct {
	text    string
	do      func(ctx context.Context, h Host) error
	waits   bool
	removes *Removed
}

// NewStep returns a step that shows the text and runs the function.
func NewStep(text string, do func(ctx context.Context, h Host) error) Step {
	return step{text: text, do: do}
}

// OneStep returns a plan of one step, made by NewStep.
func OneStep(text string, do func(ctx context.Context, h Host) error) []Step {
	return []Step{NewStep(text, do)}
}

// NewWait returns a step that shows the text and runs the function, which changes nothing:
// it returns when the host has the wanted state.
func NewWait(text string, do func(ctx context.Context, h Host) error) Step {
	return step{text: text, do: do, waits: true}
}

// NewRemoval returns a step that removes an object with data.
func NewRemoval(text string, object Removed, do func(ctx context.Context, h Host) error) Step {
	return step{text: text, do: do, removes: &object}
}

// Removals returns the objects with data that steps remove.
func Removals(steps []Step) []Removed {
	var all []Removed
	for _, s := range steps {
		if r, ok := s.(Remover); ok {
			if object, removes := r.Removes(); removes {
				all = append(all, object)
			}
		}
	}
	return all
}

// Changes reports whether one of the steps does more than wait.
func Changes(steps []Step) bool {
	return slices.ContainsFunc(steps, func(s Step) bool {
		w, ok := s.(Waiter)
		return !ok || !w.Waits()
	})
}

func (s step) String() string                       { return s.text }
func (s step) Do(ctx context.Context, h Host) error { return s.do(ctx, h) }
func (s step) Waits() bool                          { return s.waits }

func (s step) Removes() (Removed, bool) {
	if s.removes == nil {
		return Removed{}, false
	}
	return *s.removes, true
}

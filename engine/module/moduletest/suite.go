// Package moduletest is the suite that every module passes, and the two hosts
// on which tests run it.
//
// FakeHost is a machine made of scripted commands and files in memory; a command that is
// not scripted fails the test. LocalHost is the machine the test runs on, with a folder of
// its own. Both keep an owner's marks in memory. Run checks that a module does what
// engine/module requires.
package moduletest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/internal/plan/decode"
	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/engine/secret"
)

// prompt is how long a call may take after its context ended.
const prompt = 5 * time.Second

// Case is one module in one situation. The suite changes the host, so each case
// needs its own.
type Case struct {
	// New makes the task, with its arguments. Its first Plan must have steps,
	// unless NoSteps says otherwise.
	New func() module.Task
	// Host is the host to work on.
	Host module.Host
	// Absent makes the task that removes what New made; without it removing is
	// not tried.
	Absent func() module.Task
	// NoSteps is set if the task by nature changes nothing, such as facts.
	NoSteps bool
	// Secrets are values that no step may show.
	Secrets []secret.Value
	// Snapshot adds state that a dry run must not change and that the host's own Snapshot
	// does not contain.
	Snapshot func() string
}

// Run checks the contract of modules, in this order: a cancelled context ends Plan and Do;
// a dry run changes nothing; applying makes planning again empty; the steps may be done
// twice; absent works twice; no step shows a secret.
func Run(t testing.TB, c Case) {
	t.Helper()
	if err := module.Check(c.New()); err != nil {
		t.Fatalf("validate: %v", err)
	}
	steps := c.dryRun(t)
	c.cancelled(t, steps)
	c.apply(t, "apply", c.New)
	if !t.Failed() && c.Absent != nil {
		c.apply(t, "absent", c.Absent)
	}
}

// dryRun plans once and compares the host before and after.
func (c Case) dryRun(t testing.TB) []module.Step {
	t.Helper()
	before := c.state()
	steps := c.plan(t, "dry run", c.New())
	if after := c.state(); after != before {
		t.Errorf("a dry run changed the host\nbefore:\n%s\nafter:\n%s", before, after)
	}
	if len(steps) == 0 && !c.NoSteps {
		t.Error("nothing to do at first: the case needs a host that is not yet as it should be")
	}
	return steps
}

func (c Case) state() string {
	text := ""
	if h, ok := c.Host.(interface{ Snapshot() string }); ok {
		text = h.Snapshot()
	}
	if c.Snapshot != nil {
		text += c.Snapshot()
	}
	return text
}

// cancelled calls Plan and every Do with a context that has ended.
func (c Case) cancelled(t testing.TB, steps []module.Step) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	before, start := c.state(), time.Now()
	if _, err := c.New().Plan(ctx, c.Host); !errors.Is(err, context.Canceled) {
		t.Errorf("plan with a cancelled context: %v, want %v", err, context.Canceled)
	}
	for _, step := range steps {
		if err := step.Do(ctx, c.Host); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, with a cancelled context: %v, want %v", step, err, context.Canceled)
		}
	}
	if took := time.Since(start); took > prompt {
		t.Errorf("a cancelled context was noticed after %v, want at most %v", took, prompt)
	}
	if after := c.state(); after != before {
		t.Errorf("a cancelled task changed the host\nbefore:\n%s\nafter:\n%s", before, after)
	}
}

// apply does the steps twice, as an interrupted run does, and plans again.
func (c Case) apply(t testing.TB, what string, make func() module.Task) {
	t.Helper()
	task := make()
	steps := c.plan(t, what, task)
	c.do(t, what, steps)
	if u, ok := task.(module.Unverifiable); ok && u.Unverifiable() {
		return
	}
	if left := c.plan(t, what+" again", make()); len(left) > 0 {
		t.Errorf("%s, planned again: %q, want no steps", what, texts(left))
	}
	c.do(t, what+" the same steps twice", steps)
	if left := c.plan(t, what+" a third time", make()); len(left) > 0 {
		t.Errorf("%s, done twice and planned: %q, want no steps", what, texts(left))
	}
	if what == "apply" {
		c.outputs(t, task)
	}
}

// plan plans and checks that no step shows a secret.
func (c Case) plan(t testing.TB, what string, task module.Task) []module.Step {
	t.Helper()
	steps, err := task.Plan(t.Context(), c.Host)
	if err != nil {
		t.Fatalf("%s: plan: %v", what, err)
	}
	for _, text := range texts(steps) {
		for _, s := range c.Secrets {
			if strings.Contains(text, s.Reveal()) {
				t.Errorf("%s: a step shows a secret: %s", what, text)
			}
		}
	}
	return steps
}

func (c Case) do(t testing.TB, what string, steps []module.Step) {
	t.Helper()
	for _, step := range steps {
		if err := step.Do(t.Context(), c.Host); err != nil {
			t.Fatalf("%s: %s: %v", what, step, err)
		}
	}
}

func (c Case) outputs(t testing.TB, task module.Task) {
	t.Helper()
	values, err := module.Outputs(t.Context(), task, c.Host)
	if err != nil {
		t.Fatalf("outputs: %v", err)
	}
	for name, want := range module.OutputTypes(task) {
		if value, ok := values[name]; !ok || len(value.Type().TestConformance(want)) > 0 {
			t.Errorf("output %s is %#v, want %s", name, value, want.FriendlyName())
		}
	}
}

func texts(steps []module.Step) []string {
	return lists.Map(steps, module.Step.String)
}

// Make makes a task of a kind, with the kind's defaults and then the changes that are not nil.
func Make[T any](kind module.Kind, changes ...func(*T)) *T {
	made := any(kind.New()).(*T)
	for _, change := range changes {
		if change != nil {
			change(made)
		}
	}
	return made
}

// Decode makes a task from the arguments of a task block, as a playbook writes
// them, without references and functions. A mistake fails the test.
func Decode(t testing.TB, kind module.Kind, arguments string) module.Task {
	t.Helper()
	file, diags := hclsyntax.ParseConfig([]byte(arguments), kind.Name+".hcl", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatalf("parse: %v", diags)
	}
	body, task := file.Body.(*hclsyntax.Body), kind.New()
	decoder := decode.New(&hcl.EvalContext{}, decode.NewShared(decode.Differs))
	decoder.Task(body, func() []string { return nil }, task, body.Range())
	if decoder.Diags.HasErrors() {
		t.Fatalf("decode: %v", decoder.Diags)
	}
	return task
}

package plan

import (
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/module"
)

// context is the scope of a task's arguments, with the values of other tasks.
// Without Values these are unknown.
func (t *Task) context(values *Values) *hcl.EvalContext {
	return t.contextWith(t.reads.variables(t.block.space, values), values)
}

// contextWith is context with what its references mean.
func (t *Task) contextWith(references map[string]cty.Value, values *Values) *hcl.EvalContext {
	ctx := t.scope.NewChild()
	ctx.Variables = t.plan.hosts.variables(t.Host, values)
	ctx = ctx.NewChild()
	ctx.Variables = references
	return ctx
}

// Decode makes the module's task of the arguments and the values of other tasks,
// and validates it. Every call makes a new one. The module sees plain values; which of
// them are sensitive is what the task must not show.
func (t *Task) Decode(values *Values) (module.Task, Sensitivity, diag.List) {
	hidden := Sensitivity{All: t.Sensitive}
	if pending := t.Pending(values); len(pending) > 0 {
		return nil, hidden, t.notKnown("They need the values of " + strings.Join(pending, ", ") + ".")
	}
	if diags := t.reads.problems(values); diags.HasErrors() && !t.lenient() {
		return nil, hidden, t.own(diags)
	}
	made, hidden, known, diags := t.decode(t.context(values), newShared())
	if !known && !diags.HasErrors() {
		return nil, hidden, t.notKnown("A task returned an unknown value. This is a bug in kinit.")
	}
	return made, hidden, diags
}

func (t *Task) notKnown(why string) diag.List {
	at := t.Range
	return t.own(diag.List{{Summary: "Arguments not known yet", Detail: why, Subject: &at}})
}

// decode tells whether all arguments are known. Only then the task is complete
// and validated.
func (t *Task) decode(ctx *hcl.EvalContext, shared *shared) (module.Task, Sensitivity, bool, diag.List) {
	made := t.block.kind.New()
	target := reflect.ValueOf(made)
	if target.Kind() != reflect.Pointer || target.Elem().Kind() != reflect.Struct {
		panic("plan: module " + t.Module + " makes no pointer to a struct; this is a bug in kinit")
	}
	d := &decoder{scope: ctx, shared: shared, task: t.block.spec.Args, meta: t.block.spec.Meta}
	d.body(t.block.spec.Args, target.Elem(), ctx, t.Range)
	hidden := t.sensitivity(made, d)
	if d.diags.HasErrors() || d.unknown {
		return made, hidden, false, t.own(d.diags)
	}
	if sourced, ok := made.(module.Sourced); ok {
		sourced.ReadFrom(t.files)
	}
	validator, ok := made.(module.Validator)
	if !ok {
		return made, hidden, true, nil
	}
	if err := validator.Validate(); err != nil {
		at, text := t.blame(err.Error())
		if hidden.All {
			text, err = "A sensitive value is among the arguments, so the reason is not shown.", nil
		}
		return made, hidden, true, t.own(diag.List{{Summary: "Invalid arguments", Detail: text, Subject: &at, Cause: err}})
	}
	return made, hidden, true, nil
}

// blame finds the argument that a module's complaint is about, which it begins with,
// and makes a sentence of it.
func (t *Task) blame(text string) (hcl.Range, string) {
	name, _, _ := strings.Cut(text, " ")
	name = strings.TrimSuffix(name, ":")
	if attr := t.block.spec.Args.Attributes[name]; attr != nil {
		return attr.Expr.Range(), strings.TrimSuffix(text, ".") + "."
	}
	return t.Range, sentence(text)
}

// Blame is where an error that ends the task is shown: at the argument that it names
// first, with a colon, or at the head of the block.
func (t *Task) Blame(text string) hcl.Range {
	if name, _, ok := strings.Cut(text, ":"); ok {
		if attr := t.block.spec.Args.Attributes[name]; attr != nil {
			return attr.Expr.Range()
		}
	}
	return t.Range
}

// own adds the task and its host to diagnostics.
func (t *Task) own(diags diag.List) diag.List {
	for i := range diags {
		diags[i].Address, diags[i].Host = t.Address, t.Host
	}
	return diags
}

// Pending returns the addresses of tasks in Needs whose values are not known: in
// a dry run, of tasks that would change something. Decode needs there to be none.
func (t *Task) Pending(values *Values) []string {
	if t.lenient() {
		return t.plan.blocks.pending(t.Needs, values, unknown)
	}
	return t.plan.blocks.pending(t.Needs, values, unknown, missing)
}

// checkArguments decodes every task that is to be done, as far as its arguments
// are known.
func (b *builder) checkArguments() {
	for _, block := range b.blocks.order {
		if block.kind == nil || block.invalid {
			continue
		}
		for _, t := range block.instances {
			if t.Skip == "" {
				b.checkSystem(t)
			}
		}
		b.diags = append(b.diags, block.check()...)
	}
	b.spreadSensitivity()
}

// check decodes the instances of a block. Where their arguments are the same, one
// stands for all.
func (b *block) check() diag.List {
	var diags diag.List
	var references map[string]cty.Value // the same for all, where the links are
	shared, alike := newShared(), b.linked && !slices.ContainsFunc(b.late(), differs)
	for _, t := range b.instances {
		if t.Skip != "" {
			continue
		}
		if references == nil || !b.linked {
			references = t.reads.variables(b.space, nil)
		}
		ctx := t.contextWith(references, nil)
		_, hidden, _, more := t.decode(ctx, shared)
		b.shows = b.shows || hidden.All
		diags = append(append(diags, more...), t.checkConditions(ctx, shared)...)
		if alike {
			break
		}
	}
	return diags
}

// late lists the expressions that are evaluated when the task's turn comes.
func (b *block) late() []hcl.Expression {
	return append(expressions(b.spec.Args), engineExpressions(b.spec)...)
}

// sentence makes a sentence of an error's text.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(text[size:], ".") + "."
}

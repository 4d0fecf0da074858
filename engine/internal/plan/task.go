package plan

import (
	"maps"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/plan/decode"
	"kinit/engine/internal/plan/refs"
	"kinit/engine/internal/sensitive"
	"kinit/engine/module"
)

// Decode makes the module's task of the arguments and the values of other tasks, and
// validates it. Every call makes a new one. The module gets plain values; the Sensitivity
// records which of them the task must not show.
func (t *Task) Decode(values *Values) (module.Task, decode.Sensitivity, diag.List) {
	hidden := decode.Sensitivity{All: t.Sensitive}
	if pending := t.Pending(values); len(pending) > 0 {
		return nil, hidden, t.notKnown("They need the values of " + strings.Join(pending, ", ") + ".")
	}
	if diags := t.plan.refs.Problems(t.Args, values); diags.HasErrors() && !t.lenient() {
		return nil, hidden, t.own(diags)
	}
	made, hidden, known, diags := t.decode(t.context(values), decode.NewShared(t.Block.Namespace.Differs))
	if !known && !diags.HasErrors() {
		return nil, hidden, t.notKnown("A task returned an unknown value. This is a bug in kinit.")
	}
	return made, hidden, diags
}

func (t *Task) notKnown(why string) diag.List {
	return t.own(diag.List{{Summary: "Arguments not known yet", Detail: why, Subject: &t.Range}})
}

// decode reports whether all arguments are known. Only then the task is complete
// and validated.
func (t *Task) decode(ctx *hcl.EvalContext, shared *decode.Shared) (module.Task, decode.Sensitivity, bool, diag.List) {
	made := t.Block.Kind.New()
	d := decode.New(ctx, shared)
	d.Task(t.Block.Spec.Args, t.Block.Spec.Meta, made, t.Range)
	hidden := d.Sensitivity(made, t.Sensitive)
	if d.Diags.HasErrors() || d.Unknown {
		return made, hidden, false, t.own(append(d.Diags, d.Alone...))
	}
	if sourced, ok := made.(module.Sourced); ok {
		sourced.ReadFrom(t.Files)
	}
	if addressed, ok := made.(module.Addressed); ok && path.Ext(t.Range.Filename) == ".hcl" {
		addressed.Called(path.Base(t.Range.Filename) + " " + t.Address)
	}
	if err := module.Check(made); err != nil {
		at, text := t.blame(err.Error())
		if hidden.All {
			text, err = "A sensitive value is among the arguments, so the reason is not shown.", nil
		}
		return made, hidden, true, t.own(diag.List{{Summary: "Invalid arguments", Detail: text, Subject: &at, Cause: err}})
	}
	return made, hidden, true, nil
}

// blame finds the argument that a module's error begins with, and makes the error a
// sentence.
func (t *Task) blame(text string) (hcl.Range, string) {
	name, _, _ := strings.Cut(text, " ")
	name = strings.TrimSuffix(name, ":")
	if attr := t.Block.Spec.Args.Attributes[name]; attr != nil {
		return attr.Expr.Range(), strings.TrimSuffix(text, ".") + "."
	}
	return t.Range, sentence(text)
}

// Blame returns the place to show for an error that ends the task: the argument that the
// error begins with, before a colon, or the head of the block.
func (t *Task) Blame(text string) hcl.Range {
	if name, _, ok := strings.Cut(text, ":"); ok {
		if attr := t.Block.Spec.Args.Attributes[name]; attr != nil {
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

// Pending returns the addresses of tasks in Needs whose values are not known: in a dry run,
// of tasks that would change something. Decode needs all of them to be known.
func (t *Task) Pending(values *Values) []string {
	is := []refs.State{refs.Unknown}
	if !t.lenient() {
		is = append(is, refs.Missing)
	}
	return t.plan.refs.Unanswered(t.Needs, t.Args, values, is...)
}

// Foretold lists, in a dry run, the tasks that would change something and whose values are known
// to this one nevertheless. If it reads what is behind such a value, it would find it as it is
// before the change: read is the first task of which that is possible, or empty.
func (t *Task) Foretold(values *Values) (of []string, read string) {
	pending := t.Pending(values)
	for _, address := range t.plan.refs.Pending(t.Needs, values, refs.Unknown) {
		if slices.Contains(pending, address) {
			continue
		}
		of = append(of, address)
		if read == "" && t.Args.Content(t.plan.refs.Task(address)) {
			read = address
		}
	}
	return of, read
}

func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(text[size:], ".") + "."
}

// Within returns the task's argument "within" or "async", or its module's default. It is 0 if
// the module has no such argument or the value is not known.
func (t *Task) Within(values *Values) time.Duration {
	return max(t.time("within", values), t.time("async", values))
}

// time returns an argument that is a time, or its default. It is 0 if the module has no such
// argument or the value is not known.
func (t *Task) time(name string, values *Values) time.Duration {
	text, ok := decode.Text(t.Block.Kind.New(), name)
	if !ok {
		return 0
	}
	if attr := t.Block.Spec.Args.Attributes[name]; attr != nil {
		value, problems := bounds.Value(attr.Expr, t.context(values))
		if value, _ = value.Unmark(); problems.HasErrors() || !value.IsKnown() || value.IsNull() || value.Type() != cty.String {
			return 0
		}
		text = value.AsString()
	}
	within, err := time.ParseDuration(text)
	if err != nil {
		return 0 // the module reports what is wrong with it
	}
	return within
}

// Outputs returns the values of a task, with its sensitive values marked.
func (t *Task) Outputs(values map[string]cty.Value, s decode.Sensitivity) map[string]cty.Value {
	if !s.All && len(t.Block.Secrets) == 0 {
		return values
	}
	marked := maps.Clone(values)
	for name, value := range values {
		if s.All || slices.Contains(t.Block.Secrets, name) {
			marked[name] = sensitive.Mark(value)
		}
	}
	return marked
}

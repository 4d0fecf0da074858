package plan

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/eval"
	"kinit/engine/internal/sensitive"
)

// early evaluates an expression that must be known before the run, since it says
// which tasks, hosts or edges there are. It returns false when there is no usable value.
func (b *builder) early(in *space, what string, expr hcl.Expression, ctx *hcl.EvalContext) (cty.Value, bool) {
	for _, t := range expr.Variables() {
		if in.needsTask(t) {
			at := t.SourceRange()
			values := "the values of tasks"
			if t.RootName() == "secret" {
				values = "a secret that a task makes"
			}
			b.errorf(at, "Not known before the run", "%s must be known before any task runs, so it cannot refer to %s.", what, values)
			return cty.NilVal, false
		}
	}
	ctx, diags := in.withRelays(expr, ctx)
	if diags.HasErrors() {
		b.diags = append(b.diags, diags...)
		return cty.NilVal, false
	}
	value, problems := bounds.Value(expr, ctx)
	if problems.HasErrors() {
		b.diags = append(b.diags, diag.FromHCL(problems)...)
		return cty.NilVal, false
	}
	if !value.IsWhollyKnown() {
		b.errorf(expr.Range(), "Not known before the run", "%s must be known before any task runs.", what)
		return cty.NilVal, false
	}
	return value, true
}

// needsTask tells whether a traversal means a task, a secret that one makes, or a
// relay that needs one.
func (s *space) needsTask(t hcl.Traversal) bool {
	root := t.RootName()
	if root == "task" || len(t) < 2 {
		return root == "task"
	}
	if root == "secret" {
		name, _ := stepKey(t[1])
		return s.made[name]
	}
	return slices.ContainsFunc(s.relayed(t), (*relay).isLate)
}

// relayed lists the relays that a traversal may mean.
func (s *space) relayed(t hcl.Traversal) []*relay {
	if len(t) < 2 {
		return nil
	}
	name, _ := stepKey(t[1])
	switch t.RootName() {
	case "var":
		if r := s.inputs[name]; r != nil {
			return []*relay{r}
		}
	case "import":
		if len(t) == 2 {
			return slices.Collect(maps.Values(s.imports[name]))
		}
		output, _ := stepKey(t[2])
		if r := s.imports[name][output]; r != nil {
			return []*relay{r}
		}
	}
	return nil
}

// isLate tells whether an expression needs the values of tasks.
func (s *space) isLate(expr hcl.Expression) bool {
	return slices.ContainsFunc(expr.Variables(), s.needsTask)
}

// withRelays adds to a scope the relays that an expression mentions, none of which
// needs tasks.
func (s *space) withRelays(expr hcl.Expression, ctx *hcl.EvalContext) (*hcl.EvalContext, diag.List) {
	if !slices.ContainsFunc(expr.Variables(), func(t hcl.Traversal) bool { return t.RootName() == "import" || len(s.relayed(t)) > 0 }) {
		return ctx, nil
	}
	reads, diags := s.find(ctx, expr)
	if diags.HasErrors() {
		return ctx, diags
	}
	inner := ctx.NewChild()
	inner.Variables = map[string]cty.Value{}
	reads.addRelays(inner.Variables, s, nil)
	return inner, nil
}

// earlyOpen is early for what is shown wherever the run is, so that it must not be
// sensitive. A number or a truth tells no secret.
func (b *builder) earlyOpen(in *space, what string, expr hcl.Expression, ctx *hcl.EvalContext) (cty.Value, bool) {
	value, ok := b.early(in, what, expr, ctx)
	if !ok {
		return cty.NilVal, false
	}
	plain, is := sensitive.Plain(value)
	if is && plain.Type() != cty.Bool && plain.Type() != cty.Number {
		b.errorf(expr.Range(), "Sensitive value", "%s cannot have a sensitive value, since it is shown wherever the run is. %s", what, sensitiveAdvice)
		return cty.NilVal, false
	}
	return plain, true
}

// sensitiveAdvice ends messages about sensitive values in places that are shown.
const sensitiveAdvice = "Where it is no secret, write nonsensitive(…)."

// earlyAs is earlyOpen, converted to a type. Null is no value.
func (b *builder) earlyAs(in *space, what string, expr hcl.Expression, ctx *hcl.EvalContext, kind cty.Type) (cty.Value, bool) {
	value, ok := b.earlyOpen(in, what, expr, ctx)
	if !ok {
		return cty.NilVal, false
	}
	converted, err := eval.Convert(value, kind)
	if err == nil && converted.IsNull() {
		err = fmt.Errorf("it is null")
	}
	if err != nil {
		b.errorf(expr.Range(), "Wrong type", "%s cannot have this value: %s.", what, errorText(err))
		return cty.NilVal, false
	}
	return converted, true
}

func (b *builder) earlyText(in *space, what string, expr hcl.Expression, ctx *hcl.EvalContext) (string, bool) {
	value, ok := b.earlyAs(in, what, expr, ctx, cty.String)
	if !ok {
		return "", false
	}
	return value.AsString(), true
}

// duration evaluates a text such as "10m", at least least.
func (b *builder) duration(in *space, what string, expr hcl.Expression, ctx *hcl.EvalContext, least time.Duration) time.Duration {
	text, ok := b.earlyText(in, what, expr, ctx)
	if !ok {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < least {
		b.errorf(expr.Range(), "Invalid duration", "%s is a duration such as \"10m\" or \"2s\", not %q.", what, text)
		return 0
	}
	return d
}

// retry evaluates a retry block.
func (b *builder) retry(t *Task, ctx *hcl.EvalContext) Retry {
	r := t.block.spec.Retry
	if r == nil {
		return Retry{Attempts: 1}
	}
	retry := Retry{Attempts: 1, Delay: defaultDelay}
	if r.Attempts != nil {
		if value, ok := b.earlyAs(t.block.space, "attempts", r.Attempts, ctx, cty.Number); ok {
			n, accuracy := value.AsBigFloat().Int64()
			if accuracy != 0 || n < 1 {
				b.errorf(r.Attempts.Range(), "Invalid number", "attempts is a whole number of at least 1.")
			}
			retry.Attempts = int(n)
		}
	}
	if r.Delay != nil {
		retry.Delay = b.duration(t.block.space, "delay", r.Delay, ctx, 0)
	}
	return retry
}

// element is one element of a for_each.
type element struct {
	key   string
	value cty.Value
}

// variables is what each means in its instance.
func (e element) variables() map[string]cty.Value {
	return map[string]cty.Value{
		"each": cty.ObjectVal(map[string]cty.Value{"key": cty.StringVal(e.key), "value": e.value}),
	}
}

// mostInstances is the most of one for_each: far more than the tasks of the greatest
// clusters have.
const mostInstances = 100_000

// elements evaluates a for_each: the attributes of a map or object by name, or the
// texts of a set, list or tuple.
func (b *builder) elements(in *space, expr hcl.Expression, ctx *hcl.EvalContext) ([]element, bool) {
	value, ok := b.early(in, "for_each", expr, ctx)
	if !ok {
		return nil, false
	}
	if sensitive.Itself(value) {
		b.errorf(expr.Range(), "Sensitive value", "for_each cannot have a sensitive value, since its keys become names of instances, which are shown. Values of its elements may be sensitive. %s", sensitiveAdvice)
		return nil, false
	}
	t := value.Type()
	if value.IsNull() || !t.IsObjectType() && !t.IsMapType() && !t.IsTupleType() && !t.IsListType() && !t.IsSetType() {
		b.errorf(expr.Range(), "Invalid for_each", "Give a map, an object, or a set or list of texts.")
		return nil, false
	}
	if n := value.LengthInt(); n > mostInstances {
		b.errorf(expr.Range(), "Too many instances", "This makes %d instances, and more than %d cannot be meant.", n, mostInstances)
		return nil, false
	}
	named := t.IsObjectType() || t.IsMapType()
	var all []element
	seen := map[string]bool{}
	for it := value.ElementIterator(); it.Next(); {
		key, value := it.Element()
		if !named {
			key = value
		}
		if sensitive.Is(key) {
			b.errorf(expr.Range(), "Sensitive value", "for_each cannot have sensitive elements in a list, since they become names of instances, which are shown. Values of a map may be sensitive. %s", sensitiveAdvice)
			return nil, false
		}
		if key.IsNull() || key.Type() != cty.String {
			b.errorf(expr.Range(), "Invalid for_each", "The elements of a set or list must be texts: they become the keys of the instances.")
			return nil, false
		}
		if seen[key.AsString()] {
			b.errorf(expr.Range(), "Invalid for_each", "The key %q is there twice.", key.AsString())
			return nil, false
		}
		seen[key.AsString()] = true
		all = append(all, element{key.AsString(), value})
	}
	return all, true
}
